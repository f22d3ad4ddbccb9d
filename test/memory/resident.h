//===- resident.h - How much memory the program has -------------------------------------===//

#ifndef PHOTOFINISH_TEST_MEMORY_RESIDENT_H
#define PHOTOFINISH_TEST_MEMORY_RESIDENT_H

#include <cstdio>
#include <unistd.h>

/// What is resident now; 0 if the system does not tell.
inline unsigned long residentBytes() {
  unsigned long Pages = 0, Resident = 0;
  if (std::FILE *File = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(File, "%lu %lu", &Pages, &Resident) != 2)
      Resident = 0;
    std::fclose(File);
  }
  return Resident * static_cast<unsigned long>(sysconf(_SC_PAGESIZE));
}

#endif // PHOTOFINISH_TEST_MEMORY_RESIDENT_H

//===- recorder.h - The run as a trace -----------------------------------===//
//
// With record=FILE every event of the run goes, in the order in which the detector saw it, to a
// process of its own (`photofinish record`), which writes it as a binary trace: what the
// detector said about the run can then be judged by the oracle. That a record is exact makes
// it slow: an event and its check are one step, under one lock for the whole process.
//
// The stream is a sequence of pf_recorded structures (driver/recorded_run.h reads them), some
// followed by text.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_RECORDER_H
#define PHOTOFINISH_RUNTIME_RECORDER_H

#include "abi/recording.h"
#include "detector/spin_lock.h"
#include "runtime/thread.h"

namespace photofinish::rt {

extern bool IsRecording; ///< constant after initialisation, but for the child of a fork
inline bool recording() { return IsRecording; }

/// Held around an event and the check that belongs to it.
class RecordingLock {
public:
  RecordingLock() PF_NO_ANALYSIS : IsHeld(recording()) {
    if (IsHeld)
      lock();
  }
  // Recording may have ended in between.
  ~RecordingLock() PF_NO_ANALYSIS {
    if (IsHeld)
      unlock();
  }
  RecordingLock(const RecordingLock &) = delete;
  RecordingLock &operator=(const RecordingLock &) = delete;

private:
  static void lock();
  static void unlock();

  bool IsHeld;
};

// All do nothing unless the run is recorded. The caller holds a RecordingLock.

void startRecording();
/// Kind is a pf_recorded_kind; Target an address, or the number of an object or thread.
void record(Thread &T, const pf_site *Site, uint8_t Kind, uint64_t Target, uint64_t Bytes = 0,
            uint8_t Order = 0);
/// A check: of an access that is made now, unless the site says that these are announced.
void recordCheck(Thread &T, const pf_site *Site, bool IsWrite, uint64_t Address, uint64_t Bytes);
/// The bytes are fresh memory, without anyone having freed them.
void recordFresh(uintptr_t Start, size_t Bytes);
/// In the child of a fork: the trace is the parent's.
void stopRecording();
void finishRecording();

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_RECORDER_H

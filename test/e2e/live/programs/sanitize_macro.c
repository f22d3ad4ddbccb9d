//===- sanitize_macro.c ---------------------------------------------------===//
//
// The macros say that threads are checked.
//
//===----------------------------------------------------------------------===//

// NO RACE
// OUTPUT: checked by feature and macro
// OUTPUT: done

#include <stdio.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FEATURE "feature"
#endif
#endif
#ifndef FEATURE
#define FEATURE "no feature"
#endif
#ifdef __SANITIZE_THREAD__
#define MACRO "macro"
#else
#define MACRO "no macro"
#endif

int main(void) { printf("checked by %s and %s\ndone\n", FEATURE, MACRO); }

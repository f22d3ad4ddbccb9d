//===- thread_safety.h - Lock expectations that the compiler checks -------===//
//
// Clang's -Wthread-safety attributes under names of ours. A cell is a capability:
// a rule that changes one says so with PF_REQUIRES, and the compiler refuses a
// caller that cannot show that it holds it.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_THREAD_SAFETY_H
#define PHOTOFINISH_DETECTOR_THREAD_SAFETY_H

#define PF_CAPABILITY(Name) __attribute__((capability(Name)))
#define PF_SCOPED_CAPABILITY __attribute__((scoped_lockable))
#define PF_REQUIRES(...) __attribute__((requires_capability(__VA_ARGS__)))
#define PF_ACQUIRE(...) __attribute__((acquire_capability(__VA_ARGS__)))
#define PF_RELEASE(...) __attribute__((release_capability(__VA_ARGS__)))
#define PF_ASSERT_HELD(...) __attribute__((assert_capability(__VA_ARGS__)))

/// For the body of a lock itself, which the analysis cannot follow.
#define PF_NO_ANALYSIS __attribute__((no_thread_safety_analysis))

#endif // PHOTOFINISH_DETECTOR_THREAD_SAFETY_H

//===- std_thread.cpp - Where a std::thread is created -----------------------===//
//
// std::thread's constructor is inlined into the program, but creates the thread in the C++
// library, which is not instrumented: a report would show where that calls pthread_create, and
// not the program's line. A frame for the call into the library is all that is missing.
// In the archive for C++ programs, because a C program has no std::thread.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/interpose.h"

using namespace photofinish::rt;

// std::thread::_M_start_thread(std::unique_ptr<_State>, void (*)()); the unique_ptr is passed by
// address. Should it throw, the program's landing pad restores the stack of frames.
PF_INTERCEPT(void,
             _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE,
             (void *This, void *State, void (*Depend)())) {
  pf_frame *Frame = __pf_thread.stack_top;
  Frame->return_address = reinterpret_cast<uintptr_t>(PF_CALLER);
  Frame->context = 0;
  __pf_thread.stack_top = Frame + 1;
  PF_REAL(_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE)
  (This, State, Depend);
  __pf_thread.stack_top = Frame;
}

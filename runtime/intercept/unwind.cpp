//===- unwind.cpp - Noticing that a call is left by unwinding -----------------===//
//
// The unwinder asks every frame's personality routine twice: in the first phase who handles
// the exception, in the second, frame by frame, to clean up. A forced unwind (pthread_exit,
// cancellation) has the second phase only. Ours does its work right there and says "go on":
// it needs no landing pad and calls nothing of the unwinder, which a program in C may not
// even be linked with.
//
//   frames      ... interceptor | callUnwindable | __pf_call_unwindable | callback ...
//   Innermost        -> the record in callUnwindable's frame -> the next one further out
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/unwind.h"

#include <cstdint>

using namespace photofinish;

namespace {

struct Call {
  void (*OnUnwind)(void *);
  void *Argument;
  Call *Outer;
};

__attribute__((tls_model("initial-exec"))) constinit thread_local Call *Innermost = nullptr;

/// Of the C++ ABI's level I, "Exception Handling".
constexpr int CleanupPhase = 2;   // _UA_CLEANUP_PHASE
constexpr int ContinueUnwind = 8; // _URC_CONTINUE_UNWIND

} // namespace

extern "C" __attribute__((visibility("hidden"), used)) int
__pf_unwinding(int /*Version*/, int Actions, uint64_t /*Class*/, void * /*Exception*/,
               void * /*Context*/) {
  if (Actions & CleanupPhase) {
    Call *Left = Innermost;
    Innermost = Left->Outer;
    Left->OnUnwind(Left->Argument);
  }
  return ContinueUnwind;
}

extern "C" __attribute__((visibility("hidden"))) void __pf_call_unwindable(void (*Function)(void *),
                                                                           void *Argument);

// 0x1b: the personality is given by its distance, in four bytes.
asm(R"(
	.pushsection .text
	.p2align 4
	.globl __pf_call_unwindable
	.hidden __pf_call_unwindable
	.type __pf_call_unwindable, @function
__pf_call_unwindable:
	.cfi_startproc
	.cfi_personality 0x1b, __pf_unwinding
	endbr64
	subq $8, %rsp
	.cfi_def_cfa_offset 16
	movq %rdi, %rax
	movq %rsi, %rdi
	callq *%rax
	addq $8, %rsp
	.cfi_def_cfa_offset 8
	retq
	.cfi_endproc
	.size __pf_call_unwindable, . - __pf_call_unwindable
	.popsection
)");

void rt::callUnwindable(void (*Function)(void *), void *Argument, void (*OnUnwind)(void *)) {
  Call Record{OnUnwind, Argument, Innermost};
  Innermost = &Record;
  __pf_call_unwindable(Function, Argument);
  Innermost = Record.Outer;
}

//===- context.cpp - Where an access came from ------------------------------------------===//

#include "runtime/context.h"

using namespace photofinish;
using namespace photofinish::rt;

constinit Contexts rt::TheContexts;
constinit LockSets rt::TheLockSets;

uint32_t SiteNumbers::add(uint32_t Window) {
  Locked Guard(Lock);
  for (uint32_t I = 0; I < MaxWindows; ++I) {
    uint32_t Known = Windows[I].load(std::memory_order_relaxed);
    if (Known == Window)
      return I;
    if (Known)
      continue;
    Windows[I].store(Window, std::memory_order_relaxed);
    return I;
  }
  host::giveUp("instrumented libraries lie in more than 8 places of the address space, each of 2 "
               "GiB");
}

void Contexts::initialise(uint64_t Max) {
  MaxNodes = Max;
  Nodes.initialise();
}

ContextId Contexts::internFrames(pf_frame *Begin, pf_frame *End, Calls &Known) {
  pf_frame *From = End;
  while (From != Begin && !From[-1].context)
    --From;
  ContextId Context = From == Begin ? 0 : From[-1].context;
  if (Nodes.size() > MaxNodes && End - From > KeptWhenFull) {
    From = End - KeptWhenFull;
    Context = Nodes.intern(0, CutOffKey);
  }
  for (; From != End; ++From) {
    uint64_t Return = From->return_address;
    Calls::Call &C = Known.Of[(Return ^ Context * UINT64_C(0x9E3779B1)) % Calls::Count];
    if (C.ReturnAddress != Return || C.Caller != Context || !C.Context)
      C = {Return, Context, Nodes.intern(Context, Return)};
    From->context = Context = C.Context;
  }
  return Context;
}

//===- context.cpp - Where an access came from ------------------------------------------===//

#include "runtime/context.h"

using namespace photofinish;
using namespace photofinish::rt;

constinit Contexts rt::TheContexts;
constinit LockSets rt::TheLockSets;

void Contexts::initialise(uint64_t Max) {
  MaxNodes = Max;
  Nodes.initialise();
}

ContextId Contexts::internFrames(pf_frame *Begin, pf_frame *End) {
  pf_frame *From = End;
  while (From != Begin && !From[-1].context)
    --From;
  ContextId Context = From == Begin ? 0 : From[-1].context;
  if (Nodes.size() > MaxNodes && End - From > KeptWhenFull) {
    From = End - KeptWhenFull;
    Context = Nodes.intern(0, CutOffKey);
  }
  for (; From != End; ++From)
    From->context = Context = Nodes.intern(Context, From->return_address);
  return Context;
}

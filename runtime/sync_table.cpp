//===- sync_table.cpp - The state of synchronization objects, by address -===//

#include "runtime/sync_table.h"

#include "runtime/platform/os.h"

using namespace photofinish;
using namespace photofinish::rt;

constinit SyncTable rt::TheSyncTable;

void SyncObject::begin(SyncKind NewKind) {
  Kind = NewKind;
  switch (Kind) {
  case SyncKind::None:
    return;
  case SyncKind::Lock:
    new (Storage) LockState();
    return;
  case SyncKind::Channel:
    new (Storage) Clock();
    return;
  case SyncKind::Barrier:
    new (Storage) BarrierState();
    return;
  case SyncKind::Atomic:
    new (Storage) AtomicBlock();
    return;
  }
}

void SyncObject::end() {
  switch (Kind) {
  case SyncKind::None:
    break;
  case SyncKind::Lock:
    lock().~LockState();
    break;
  case SyncKind::Channel:
    channel().~Clock();
    break;
  case SyncKind::Barrier:
    barrier().~BarrierState();
    break;
  case SyncKind::Atomic:
    atomic().~AtomicBlock();
    break;
  }
  Kind = SyncKind::None;
}

void SyncTable::initialise() {
  Root = static_cast<std::atomic<Page *> *>(os::map((IndexMask + 1) * sizeof(Page *)));
  if (!Root)
    host::giveUp("cannot reserve 512 GiB of address space for locks; is it limited (ulimit -v)?");
}

SyncTable::Page *SyncTable::pageFor(uintptr_t Key) {
  std::atomic<Page *> &Entry = entryOf(Key);
  // Acquire: the page was zeroed before it was published.
  if (Page *P = Entry.load(std::memory_order_acquire))
    return P;
  auto *New = new (host::allocate(sizeof(Page))) Page();
  Page *Expected = nullptr;
  if (Entry.compare_exchange_strong(Expected, New, std::memory_order_acq_rel))
    return New;
  host::release(New, sizeof(Page));
  return Expected;
}

SyncObject *SyncTable::find(Page &P, uintptr_t Key, SyncKind Kind) {
  for (SyncObject *O = *bucketOf(P, Key); O; O = O->Next)
    if (O->Key == Key && O->Kind == Kind)
      return O;
  return nullptr;
}

SyncObject *SyncTable::make(uintptr_t Key, SyncKind Kind) {
  SyncObject *O;
  {
    Locked Guard(PoolLock);
    O = Spares;
    if (O)
      Spares = O->Next;
    else
      O = new (host::allocate(sizeof(SyncObject))) SyncObject();
    O->Serial = NextSerial++;
  }
  if (Kind == SyncKind::Lock)
    Locks.fetch_add(1, std::memory_order_relaxed);
  Locked Guard(O->Lock);
  O->Key = Key;
  O->begin(Kind);
  return O;
}

SyncObject &SyncTable::lockOrMake(uintptr_t Key, SyncKind Kind) PF_NO_ANALYSIS {
  Page &P = *pageFor(Key);
  for (;;) {
    SyncObject *O;
    {
      Locked Guard(P.Lock);
      O = find(P, Key, Kind);
      if (!O) {
        O = make(Key, Kind);
        P.Regions.fetch_or(regionsOf(Key, Key), std::memory_order_relaxed);
        O->Next = *bucketOf(P, Key);
        *bucketOf(P, Key) = O;
      }
    }
    O->Lock.lock();
    if (O->Key == Key && O->Kind == Kind)
      return *O;
    O->Lock.unlock();
  }
}

SyncObject *SyncTable::lockIfThere(uintptr_t Key, SyncKind Kind) PF_NO_ANALYSIS {
  Page *P = entryOf(Key).load(std::memory_order_acquire); // as in pageFor
  while (P) {
    SyncObject *O;
    {
      Locked Guard(P->Lock);
      O = find(*P, Key, Kind);
    }
    if (!O)
      break;
    O->Lock.lock();
    if (O->Key == Key && O->Kind == Kind)
      return O;
    O->Lock.unlock();
  }
  return nullptr;
}

void SyncTable::retire(SyncObject *O) {
  {
    Locked Guard(O->Lock);
    O->end();
    O->Key = 0;
  }
  Locked Guard(PoolLock);
  O->Next = Spares;
  Spares = O;
}

void SyncTable::forget(uintptr_t Key, SyncKind Kind) {
  Page *P = entryOf(Key).load(std::memory_order_acquire); // as in pageFor
  if (!P)
    return;
  SyncObject *Found = nullptr;
  {
    Locked Guard(P->Lock);
    for (SyncObject **Link = bucketOf(*P, Key); *Link; Link = &(*Link)->Next)
      if ((*Link)->Key == Key && (*Link)->Kind == Kind) {
        Found = *Link;
        *Link = Found->Next;
        break;
      }
  }
  if (Found)
    retire(Found);
}

void SyncTable::forgetRange(uintptr_t Start, size_t Bytes) {
  uintptr_t End = Start + Bytes;
  for (uintptr_t At = Start >> PageShift << PageShift; At < End; At += uintptr_t(1) << PageShift) {
    Page *P = entryOf(At).load(std::memory_order_acquire); // as in pageFor
    constexpr uintptr_t PageBytes = uintptr_t(1) << PageShift;
    if (!P ||
        !(P->Regions.load(std::memory_order_relaxed) &
          regionsOf(At < Start ? Start : At, End - At < PageBytes ? End - 1 : At + PageBytes - 1)))
      continue; // whoever knows of an object there has ordered us behind its making, or races
    SyncObject *Gone = nullptr;
    {
      Locked Guard(P->Lock);
      uint32_t Left = 0;
      for (SyncObject *&Bucket : P->Buckets)
        for (SyncObject **Link = &Bucket; *Link;) {
          SyncObject *O = *Link;
          if (O->Key < Start || O->Key >= End) {
            Left |= regionsOf(O->Key, O->Key);
            Link = &O->Next;
            continue;
          }
          *Link = O->Next;
          O->Next = Gone;
          Gone = O;
        }
      P->Regions.store(Left, std::memory_order_relaxed);
    }
    while (Gone) {
      SyncObject *Next = Gone->Next;
      retire(Gone);
      Gone = Next;
    }
  }
}

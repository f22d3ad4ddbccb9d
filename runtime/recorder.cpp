//===- recorder.cpp - The run as a trace ---------------------------------===//

#include "runtime/recorder.h"

#include "runtime/base/message.h"
#include "runtime/base/options.h"
#include "runtime/base/text.h"
#include "runtime/modules.h"
#include "runtime/report.h"

#include <cstring>

using namespace photofinish;
using namespace photofinish::rt;

bool rt::IsRecording = false;

namespace {

SpinLock Order;
int Socket = -1;
char Buffer[65536]; // under Order, as all of the following
size_t Used;
constinit InternTable Places; // number of a place, see placeOf
uint32_t KnownPlaces;

void send(const void *Data, size_t Bytes) {
  const char *From = static_cast<const char *>(Data);
  while (Bytes) {
    long Sent = os::write(Socket, From, Bytes);
    if (Sent < 0) {
      complain("record: the process that writes the trace is gone; the trace ends here");
      IsRecording = false;
      return;
    }
    From += Sent;
    Bytes -= size_t(Sent);
  }
}

void flush() {
  send(Buffer, Used);
  Used = 0;
}

void put(const pf_recorded &Event, const char *Content = "") {
  if (Used + sizeof(Event) + Event.text > sizeof(Buffer))
    flush();
  if (sizeof(Event) + Event.text > sizeof(Buffer)) {
    send(&Event, sizeof(Event));
    return send(Content, Event.text);
  }
  std::memcpy(Buffer + Used, &Event, sizeof(Event));
  std::memcpy(Buffer + Used + sizeof(Event), Content, Event.text);
  Used += sizeof(Event) + Event.text;
}

/// The number of where the thread is; tells the other end about it when it is new.
uint32_t numberOf(const Thread &T, const pf_site *Site) {
  pf_frame *Top = __pf_thread.stack_top;
  // libc calls some functions when the program has returned from all of its own.
  Place P = placeOf(Site, Top == T.Frames ? 0 : Top[-1].return_address);
  uint32_t Number = Places.intern(0, P.Key);
  if (Number <= KnownPlaces)
    return Number;
  KnownPlaces = Number;
  pf_recorded Event = {};
  Event.kind = PF_RECORDED_SITE;
  Event.site = Number;
  if (P.IsReturnAddress) {
    Text Modules;
    if (describeModules(Modules)) {
      pf_recorded Before = {};
      Before.kind = PF_RECORDED_MODULES;
      Before.text = uint32_t(Modules.size());
      put(Before, Modules.data());
    }
    Event.target = P.Key;
    put(Event);
    return Number;
  }
  Text Name;
  Name.add(stringAt(Site->file));
  if (Site->line)
    Name.add(':').addNumber(Site->line).add(':').addNumber(Site->column);
  Event.text = uint32_t(Name.size());
  put(Event, Name.data());
  return Number;
}

} // namespace

void RecordingLock::lock() PF_NO_ANALYSIS { Order.lock(); }
void RecordingLock::unlock() PF_NO_ANALYSIS { Order.unlock(); }

void rt::startRecording() {
  if (!TheOptions.record[0])
    return;
  Text File;
  expandPath(TheOptions.record, File);
  const char *Arguments[] = {toolPath(), "record", "--live", File.data(), nullptr};
  Socket = os::startDetached(Arguments);
  char Ready = 0;
  if (Socket < 0 || os::read(Socket, &Ready, 1) != 1 || Ready != '.') {
    complain("record: cannot write ", File.data(), "; is '", toolPath(),
             "' there, and the folder?");
    os::exitProcess(2);
  }
  Places.initialise();
  IsRecording = true;
}

void rt::record(Thread &T, const pf_site *Site, uint8_t Kind, uint64_t Target, uint64_t Bytes,
                uint8_t MemoryOrder) {
  if (!recording())
    return;
  pf_recorded Event = {};
  Event.kind = Kind;
  Event.order = MemoryOrder;
  Event.thread = T.number();
  Event.target = Target;
  Event.size = Bytes;
  Event.site = Site ? numberOf(T, Site) : 0;
  put(Event);
}

void rt::recordCheck(Thread &T, const pf_site *Site, bool IsWrite, uint64_t Address,
                     uint64_t Bytes) {
  if (!recording())
    return;
  // Of those that it stands for, each for itself.
  if (Site && Site->flags & PF_SITE_ROW) {
    for (uint64_t Done = 0, Here; Done < Bytes; Done += Here) {
      const pf_site *Its = TheModules.siteAt(Site, Address + Done);
      for (Here = 1; Done + Here < Bytes; ++Here)
        if (TheModules.siteAt(Site, Address + Done + Here) != Its)
          break;
      recordCheck(T, Its, IsWrite, Address + Done, Here);
    }
    return;
  }
  bool IsApart = Site && Site->flags & PF_SITE_CHECK;
  uint8_t Kind = IsApart ? (IsWrite ? PF_RECORDED_CHECK_WRITE : PF_RECORDED_CHECK_READ)
                         : (IsWrite ? PF_RECORDED_WRITE : PF_RECORDED_READ);
  record(T, Site, Kind, Address, Bytes);
}

void rt::recordFresh(uintptr_t Start, size_t Bytes) {
  if (!recording())
    return;
  pf_recorded Event = {};
  Event.kind = PF_RECORDED_FRESH;
  Event.target = Start;
  Event.size = Bytes;
  put(Event);
}

void rt::stopRecording() {
  if (!recording())
    return;
  IsRecording = false;
  os::close(Socket);
}

void rt::finishRecording() {
  if (!recording())
    return;
  Locked Guard(Order);
  pf_recorded Event = {};
  Event.kind = PF_RECORDED_END;
  put(Event);
  flush();
  char Answer = 0;
  if (IsRecording && os::read(Socket, &Answer, 1) != 1)
    complain("record: the trace could not be completed");
  IsRecording = false;
  if (Answer == PF_RECORDED_MISPLACED)
    host::giveUp("this is a defect of Photofinish: checks were not where they should be; please "
                 "report it");
}

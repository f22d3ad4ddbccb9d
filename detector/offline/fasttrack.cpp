//===- fasttrack.cpp - FastTrack over a trace --------------------------------===//

#include "detector/fasttrack.h"
#include "detector/offline/create.h"
#include "detector/offline/fine_detector.h"

using namespace photofinish;

std::unique_ptr<Detector> photofinish::createFastTrack(RaceSink &Sink) {
  return std::make_unique<FineDetector<CellHandlers<FastTrack>>>(
      Sink, HappensBefore::JoinRule::FastTrack);
}

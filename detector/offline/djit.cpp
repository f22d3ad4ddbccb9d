//===- djit.cpp - DJIT+ over a trace ------------------------------------------===//

#include "detector/djit.h"
#include "detector/offline/create.h"
#include "detector/offline/fine_detector.h"

using namespace photofinish;

std::unique_ptr<Detector> photofinish::createDjit(RaceSink &Sink) {
  return std::make_unique<FineDetector<Djit>>(Sink, HappensBefore::JoinRule::VerifiedFT);
}

//===- verifiedft.cpp - VerifiedFT over a trace ------------------------------===//
//
// The concurrent handlers of detector/verifiedft.h, called from one thread.
//
//===----------------------------------------------------------------------===//

#include "detector/verifiedft.h"
#include "detector/offline/create.h"
#include "detector/offline/fine_detector.h"

using namespace photofinish;

template <VerifiedFTVersion Version> static std::unique_ptr<Detector> create(RaceSink &Sink) {
  return std::make_unique<FineDetector<CellHandlers<VerifiedFT<Version>>>>(
      Sink, HappensBefore::JoinRule::VerifiedFT);
}

std::unique_ptr<Detector> photofinish::createVerifiedFTv1(RaceSink &Sink) {
  return create<VerifiedFTVersion::V1>(Sink);
}
std::unique_ptr<Detector> photofinish::createVerifiedFTv15(RaceSink &Sink) {
  return create<VerifiedFTVersion::V1_5>(Sink);
}
std::unique_ptr<Detector> photofinish::createVerifiedFT(RaceSink &Sink) {
  return create<VerifiedFTVersion::V2>(Sink);
}

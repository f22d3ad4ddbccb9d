//===- create.h - One function per offline detector -------------------------===//
//
// detectors.cpp lists these under their command-line names.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_OFFLINE_CREATE_H
#define PHOTOFINISH_DETECTOR_OFFLINE_CREATE_H

#include "detector/offline/detector.h"

namespace photofinish {

std::unique_ptr<Detector> createDjit(RaceSink &Sink);
std::unique_ptr<Detector> createFastTrack(RaceSink &Sink);
std::unique_ptr<Detector> createVerifiedFTv1(RaceSink &Sink);
std::unique_ptr<Detector> createVerifiedFTv15(RaceSink &Sink);
std::unique_ptr<Detector> createVerifiedFT(RaceSink &Sink);
std::unique_ptr<Detector> createLive(RaceSink &Sink);
std::unique_ptr<Detector> createSlimState(RaceSink &Sink);
std::unique_ptr<Detector> createSlimStateBits(RaceSink &Sink);
std::unique_ptr<Detector> createSmallSlimStateBits(RaceSink &Sink);
std::unique_ptr<Detector> createLockset(RaceSink &Sink);

} // namespace photofinish

#endif // PHOTOFINISH_DETECTOR_OFFLINE_CREATE_H

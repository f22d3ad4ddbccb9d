//===- detectors.cpp - The detectors by name ---------------------------------===//
//
// The one list of them, in the order in which they are shown.
//
//===----------------------------------------------------------------------===//

#include "detector/offline/create.h"

using namespace photofinish;

const std::vector<DetectorInfo> &photofinish::allDetectors() {
  static const std::vector<DetectorInfo> Detectors = {
      {"djit", "DJIT+: full clocks for every byte, the naive baseline", true, true, createDjit},
      {"fasttrack", "FastTrack as published in 2009", true, true, createFastTrack},
      {"verifiedft-v1", "VerifiedFT v1: a lock around every check", true, false,
       createVerifiedFTv1},
      {"verifiedft-v1.5", "VerifiedFT v1.5: same-epoch accesses take no lock", true, false,
       createVerifiedFTv15},
      {"verifiedft", "VerifiedFT v2: repeated shared reads take no lock either (the default)", true,
       true, createVerifiedFT},
      {"live", "VerifiedFT v2 over the live runtime's shadow pages", true, true, createLive},
      {"slimstate", "SlimState: arrays compressed in six partition modes", true, true,
       createSlimState},
      {"slimstate-bits", "SlimState with bit sets for footprints and any partition", true, true,
       createSlimStateBits},
      {"slimstate-small", "the same with pages and tables that are always too small: for tests",
       true, false, createSmallSlimStateBits},
      {"lockset", "Choi et al.: feasible races, by locksets alone", false, true, createLockset},
  };
  return Detectors;
}

const DetectorInfo *photofinish::findDetector(llvm::StringRef Name) {
  for (const DetectorInfo &D : allDetectors())
    if (Name == D.Name)
      return &D;
  return nullptr;
}

//===- rule_kind.h - What a rule that counts itself is about -------------------===//

#ifndef PHOTOFINISH_DETECTOR_RULE_KIND_H
#define PHOTOFINISH_DETECTOR_RULE_KIND_H

#include <cstdint>

namespace photofinish {

enum class RuleKind : uint8_t {
  Access, ///< deals with an access to a location: exactly one of these fires for each
  Race,   ///< reports, beside the rule that deals with the access
  Sync,   ///< synchronization
  State,  ///< anything else that happens to the shadow state
};

} // namespace photofinish

#endif // PHOTOFINISH_DETECTOR_RULE_KIND_H

//===- rule_kind.h - Rules that count themselves --------------------------------===//
//
// A detector lists its rules once, in an X-macro table of (Id, "Name", Kind) rows;
// PF_DEFINE_RULES makes of it the enum that counts are indexed by, and what is printed.
//
//===----------------------------------------------------------------------===//

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

#define PF_RULE_ID(Id, Name, Kind) Id,
#define PF_RULE_ONE(Id, Name, Kind) +1
#define PF_RULE_NAME(Id, Name, Kind) Name,
#define PF_RULE_KIND(Id, Name, Kind) RuleKind::Kind,
#define PF_DEFINE_RULES(TABLE)                                                                     \
  enum class Rule : uint8_t { TABLE(PF_RULE_ID) };                                                 \
  inline constexpr unsigned NumRules = TABLE(PF_RULE_ONE);                                         \
  inline constexpr const char *RuleNames[NumRules] = {TABLE(PF_RULE_NAME)};                        \
  inline constexpr RuleKind RuleKinds[NumRules] = {TABLE(PF_RULE_KIND)};

#endif // PHOTOFINISH_DETECTOR_RULE_KIND_H

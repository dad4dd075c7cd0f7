// Whether a plan may be carried out. The decision alone: it asks and prints nothing.
#pragma once

#include <cstdint>
#include <string>

#include "server/templates/plan/plan.h"

namespace stator::templates {

struct Permissions {
  enum class Mode : std::uint8_t { Apply, Plan, Check };

  Mode mode = Mode::Apply;
  bool allows_replacement = false;
  bool is_confirmed = false;  // --yes
  bool is_loopback = true;    // whether the endpoint is on this machine
};

// Exit statuses besides 0 and 1.
inline constexpr int kMistakeStatus = 2;
inline constexpr int kDifferentStatus = 3;

struct Verdict {
  bool is_carried_out = false;
  int status = 0;      // of the command, if it is not carried out
  std::string reason;  // for people; empty if there is nothing to say
};

// All or nothing: a replacement that is not allowed stops the other changes, too.
Verdict verdict_of(const Plan& plan, const Permissions& permissions);

}  // namespace stator::templates

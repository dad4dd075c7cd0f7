// How the errors of one expression are worded: `Invalid ConditionExpression: …`, behind the
// envelope where the operation has one.
#pragma once

#include <string>
#include <string_view>

#include "protocol/error.h"
#include "protocol/wording.h"

namespace stator::expr {

struct Messages {
  std::string_view parameter;  // "ConditionExpression"; empty: of a statement, in no envelope
  Wording wording;

  Error error(std::string_view text) const {
    if (parameter.empty()) return Error::validation(std::string(text));
    return Error::validation(
        wording.enveloped(std::string("Invalid ").append(parameter).append(": ").append(text)));
  }
};

}  // namespace stator::expr

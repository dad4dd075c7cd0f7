// The form of one expression's error messages: `Invalid ConditionExpression: …`, in the envelope if
// the operation has one.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/errors/error.h"
#include "protocol/service/wording.h"

namespace stator::expr {

struct Messages {
  std::string_view parameter;  // "ConditionExpression"; empty for a statement, without envelope
  Wording wording;

  Error error(std::string_view text, Rule rule = {},
              std::initializer_list<std::string_view> values = {}) const {
    Error error = Error::validation(std::string(text)).with_rule(rule, values);
    if (parameter.empty()) return error;
    return wording.enveloped(std::move(error).with_place(parameter).within(
        std::string("Invalid ").append(parameter).append(": ")));
  }
};

}  // namespace stator::expr

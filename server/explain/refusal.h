// Refusals: which rule an error stands for, and what of the request it is about. Read from the
// error's text, when somebody asks.
#pragma once

#include <string>
#include <string_view>

namespace stator {

// What is not known is empty.
struct Refusal {
  std::string rule;       // what a request must be like, in words
  std::string attribute;  // the attribute, the member of the request or the placeholder
  std::string expected;
  std::string given;
};

// By the message of an error. A text that is not known is its own rule.
Refusal read_refusal(std::string_view message);

}  // namespace stator

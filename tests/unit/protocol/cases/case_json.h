// What kinds of cases share: JSON that lives as long as a case, names of wordings, outcomes as
// text.
#pragma once

#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>

#include "protocol/json/json_reader.h"
#include "protocol/shapes/attribute_value.h"
#include "tests/cases/case_file.h"

namespace stator::test {

class CaseJson {
 public:
  const JsonNode& read(std::string_view relaxed) {
    bodies_.push_back(strict_json(relaxed));
    const auto node = read_json(bodies_.back(), arena);
    if (!node) throw std::runtime_error("no JSON: " + std::string(relaxed));
    return nodes_.emplace_back(*node);
  }
  Item item(std::string_view relaxed) {
    const auto decoded = decode_item(read(relaxed), Wording{}, arena);
    if (!decoded) throw std::runtime_error(decoded.error().message());
    return *decoded;
  }

  Arena arena;

 private:
  std::deque<std::string> bodies_;
  std::deque<JsonNode> nodes_;
};

inline Wording wording_of(std::string_view name) {
  if (name == "classic") return Wording::of(Profile::Classic, Layer::Classic);
  return Wording::of(Profile::Current, name == "bare" ? Layer::Bare : Layer::Enveloped);
}

// The message of a refusal, without the beginning that all cases of a kind must share; the whole
// error when it begins otherwise or has another code than `code`.
inline std::string refusal(const Error& error, std::string_view beginning = {},
                           ErrorCode code = ErrorCode::Validation) {
  const bool is_usual = error.code() == code && error.message().starts_with(beginning);
  return is_usual ? error.message().substr(beginning.size()) : error.render();
}

inline std::string json_of(Item item) {
  std::string out;
  append_item_json(out, item);
  return out;
}

}  // namespace stator::test

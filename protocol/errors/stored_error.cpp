#include "protocol/errors/stored_error.h"

#include <string>

namespace stator {

const StoredError* stored(const Error& error, Arena& arena) {
  const BrokenRule& broken = error.broken_rule();
  const auto copy = [&arena](std::string_view text) { return arena.copy(text); };
  const std::string_view statement = error.statement();
  const std::string& message = error.message();
  const auto before_bytes = static_cast<std::size_t>(statement.data() - message.data());
  std::array<std::string_view, kRuleValuesMax> values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = copy(broken.values[i]);
  return arena.make<StoredError>(error.code(), copy(message), before_bytes,
                                 message.size() - before_bytes - statement.size(), broken.rule,
                                 copy(broken.place), values);
}

Error error_of(const StoredError& stored) {
  const auto& [code, message, before_bytes, after_bytes, rule, place, values] = stored;
  std::string_view statement = message.substr(before_bytes);
  statement.remove_suffix(after_bytes);
  return Error(code, std::string(statement))
      .within(message.substr(0, before_bytes), message.substr(message.size() - after_bytes))
      .with_place(place)
      .with_rule(rule, {values[0], values[1], values[2], values[3]});
}

}  // namespace stator

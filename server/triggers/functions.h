// Functions: the functions that this server can call, by the names of --function.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "server/options/trigger_options.h"

namespace stator::triggers {

class Functions {
 public:
  // `options` must outlive this.
  explicit Functions(const TriggerOptions& options) : options_(options) {}

  // The target of a function, by its name without account and qualifier: its own, else that of
  // --function-default; nullptr if it has neither. Valid as long as this.
  const FunctionTarget* find(std::string_view name) const {
    for (const FunctionTarget& function : options_.functions) {
      if (function.name == name) return &function;
    }
    return options_.function_default ? &*options_.function_default : nullptr;
  }
  // Those with names, in the order of the flags.
  std::span<const FunctionTarget> named() const { return options_.functions; }
  // Whether mappings may name only functions that find() knows (--lambda-strict).
  bool is_strict() const { return options_.is_strict; }

 private:
  const TriggerOptions& options_;
};

}  // namespace stator::triggers

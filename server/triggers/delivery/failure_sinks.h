// Where messages about discarded records go: a folder or a URL of the command line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/options/trigger_options.h"
#include "server/triggers/invocation/function_call.h"

namespace stator::triggers {

class FailureSinks {
 public:
  // `options` must outlive this.
  explicit FailureSinks(const TriggerOptions& options) : options_(options) {}

  struct Delivery {
    std::string done;             // in a few words
    std::optional<WebCall> call;  // to be made
  };
  // Writes the message into the folder that the flags name for this destination, as the file `key`,
  // or returns the call that delivers it.
  Delivery deliver(std::string_view destination, std::string_view key,
                   const std::string& message) const;

 private:
  const TriggerOptions& options_;
};

}  // namespace stator::triggers

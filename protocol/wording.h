// Which of the service's correct wordings an answer uses. Since June 2026 a new request-validation
// layer rolls out operation by operation: `current` is us-east-1 as of October 2026, `classic`
// every Region before (conformance/observed/errors.md 1), `next` the three Regions that were ahead
// of it: as `current`, but for TransactWriteItems (conformance/observed/transactions.md 7).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/number.h"

namespace stator {

enum class Profile : std::uint8_t { Current, Classic, Next };

// How far an operation has moved to the new layer (under Profile::Current).
enum class Layer : std::uint8_t {
  Classic,    // as before: Scan, BatchWriteItem, transactions, control plane
  Bare,       // new texts without prefix: GetItem, BatchGetItem, Query
  Enveloped,  // new texts; value and expression errors start with "1 validation error detected: "
};

// The wording in force for one request. Small, passed by value.
struct Wording {
  Profile profile = Profile::Current;
  Layer layer = Layer::Classic;  // already Classic when profile is
  // Whether a condition or filter that is too long is told without its size: PutItem and Query
  // have moved so far, DeleteItem has not.
  bool omits_expression_size = false;

  static Wording of(Profile profile, Layer layer) {
    return {.profile = profile, .layer = profile == Profile::Classic ? Layer::Classic : layer};
  }
  bool is_new() const { return layer != Layer::Classic; }
  NumberRules number_rules() const {
    return is_new() ? NumberRules::Current : NumberRules::Classic;
  }
  // `message`, behind "1 validation error detected: " on the enveloped layer.
  std::string enveloped(std::string_view message) const;
};

inline constexpr std::string_view kOneValidationError = "1 validation error detected: ";
inline constexpr std::string_view kInvalidParameter = "One or more parameter values were invalid: ";
inline constexpr std::string_view kNotValidParameter =
    "One or more parameter values are not valid. ";

}  // namespace stator

// Which of the service's valid wordings a response uses. Since June 2026 a new request-validation
// layer rolls out operation by operation. `current` is us-east-1 as of October 2026; `classic` is
// every Region before (conformance/observed/errors.md 1). `next` is the three Regions that were
// ahead: like `current`, except for TransactWriteItems (conformance/observed/transactions.md 7).
#pragma once

#include <cstdint>
#include <string_view>

#include "protocol/errors/error.h"
#include "protocol/number/number.h"

namespace stator {

enum class Profile : std::uint8_t { Current, Classic, Next };

// How far an operation has moved to the new layer, under Profile::Current.
enum class Layer : std::uint8_t {
  Classic,    // as before: Scan, BatchWriteItem, transactions, control plane
  Bare,       // new texts without prefix: GetItem, BatchGetItem, Query
  Enveloped,  // new texts; value and expression errors start with "1 validation error detected: "
};

// The wording in force for one request. Small, passed by value.
struct Wording {
  Profile profile = Profile::Current;
  Layer layer = Layer::Classic;  // already Classic when profile is
  // Whether the message about a too long condition or filter omits its size. PutItem and Query have
  // moved to that; DeleteItem has not.
  bool omits_expression_size = false;

  static Wording of(Profile profile, Layer layer) {
    return {.profile = profile, .layer = profile == Profile::Classic ? Layer::Classic : layer};
  }
  bool is_new() const { return layer != Layer::Classic; }
  NumberRules number_rules() const {
    return is_new() ? NumberRules::Current : NumberRules::Classic;
  }
  // Puts "1 validation error detected: " before the message on the enveloped layer.
  Error enveloped(Error&& error) const;
};

inline constexpr std::string_view kOneValidationError = "1 validation error detected: ";
inline constexpr std::string_view kInvalidParameter = "One or more parameter values were invalid: ";
inline constexpr std::string_view kNotValidParameter =
    "One or more parameter values are not valid. ";

}  // namespace stator

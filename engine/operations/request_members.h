// Request members that several families share.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"
#include "protocol/service/wording.h"

namespace stator {

// Error `Can not use both expression and non-expression parameters …`; names in the service's
// order.
Result<void> check_not_mixed(const JsonNode& body, std::initializer_list<std::string_view> legacy,
                             std::initializer_list<std::string_view> expressions, Wording wording);

enum class ReturnConsumedCapacity : std::uint8_t { None, Total, Indexes };
ReturnConsumedCapacity parse_return_consumed_capacity(const JsonNode& body);
// Its text on the wire.
std::string_view to_text(ReturnConsumedCapacity value);

}  // namespace stator

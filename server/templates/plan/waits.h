// Waits for a table at an endpoint between the requests of a plan.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "server/data/transfer/dynamodb_client.h"

namespace stator::templates {

// Waits until the table and its indexes are ACTIVE, or there is none. Returns whether it is there.
// The error says so after active_patience(), or if interrupted.
tl::expected<bool, data::Failure> wait_settled(data::DynamodbClient& client,
                                               const std::string& table);

// Waits until time to live is neither being enabled nor being disabled, as above.
tl::expected<void, data::Failure> wait_ttl_settled(data::DynamodbClient& client,
                                                   const std::string& table);

}  // namespace stator::templates

// Waits for a table at an endpoint between the requests of a plan.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "protocol/json/json_tree.h"
#include "server/data/transfer/dynamodb_client.h"

namespace stator::templates {

// Waits until the table and its indexes are ACTIVE, or there is none. Returns whether it is there.
// The error says so after active_patience(), or if interrupted.
tl::expected<bool, data::Failure> wait_settled(data::DynamodbClient& client,
                                               const std::string& table);

// Waits until time to live is neither being enabled nor being disabled, as above.
tl::expected<void, data::Failure> wait_ttl_settled(data::DynamodbClient& client,
                                                   const std::string& table);

// Waits until no destination in Kinesis is being enabled, disabled or changed, as above.
tl::expected<void, data::Failure> wait_kinesis_settled(data::DynamodbClient& client,
                                                       const std::string& table);

// The destinations in an answer to DescribeKinesisStreamingDestination, which must outlive them.
std::vector<JsonNode> destinations_in(const JsonNode& described);

}  // namespace stator::templates

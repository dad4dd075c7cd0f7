// What the requests of several bulk operations share: the bulk put that they name.
#pragma once

#include <string_view>

#include "engine/call/call.h"
#include "engine/operations/resources.h"
#include "engine/schema/bulk_job.h"
#include "engine/state/snapshot.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"
#include "protocol/service/arn.h"
#include "protocol/shapes/shape.h"

namespace stator {

// Of a request that has nothing but the ARN of a bulk put.
struct BulkRequestArn {
  std::string_view text;
  TableArn table;
  std::string_view id;
};

// Checks the body of such a request, and the form of its ARN.
Result<BulkRequestArn> parse_bulk_request(const JsonNode& body, const TypeSpec& shape, Call& call);

// The bulk put. Error for a missing one.
Result<BulkJob> find_bulk_job(const BulkRequestArn& arn, const Snapshot& snapshot, Call& call);

// The table of the bulk put.
void touch_bulk_job(const BulkRequestArn& arn, Resources& touched);

}  // namespace stator

// Carries out a plan at an endpoint, table by table.
#pragma once

#include <tl/expected.hpp>

#include "server/data/transfer/dynamodb_client.h"
#include "server/templates/plan/plan.h"

namespace stator::templates {

// Does what is planned for one table, and waits until the table is ACTIVE. May end anywhere: a plan
// that is made then does the rest, because sample items are put again while the table has
// data::kSeedingTag. REQUIRES: the table is not locked.
tl::expected<void, data::Failure> carry_out(data::DynamodbClient& client,
                                            const PlannedTable& planned);

// Does what CreateTable does not for a new table: time to live, recovery, contributor insights,
// Kinesis. A stream of Kinesis that is not there is no failure.
tl::expected<void, data::Failure> finish_new(data::DynamodbClient& client,
                                             const TableShape& wanted);

// Deletes a table and waits until it is gone. No-op if there is none.
tl::expected<void, data::Failure> prune(data::DynamodbClient& client, const PrunedTable& pruned);

}  // namespace stator::templates

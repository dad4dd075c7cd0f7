// New tables: what CreateTable and the table of an import share. Checks come before building; each
// error has the text and place that CreateTable gives it (conformance/observed/errors.md 12.1).
#pragma once

#include <string_view>

#include "engine/call/call.h"
#include "engine/schema/table.h"
#include "engine/seams/random.h"
#include "engine/state/snapshot.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"

namespace stator {

// The BillingMode of the body, or the default.
BillingMode billing_mode_of(const JsonNode& body);

// Checks billing mode, throughput, keys, indexes and attribute definitions.
Result<void> check_new_table(const JsonNode& body, BillingMode mode);
// Checks the OnDemandThroughput of the table and its indexes.
Result<void> check_new_maxima(const JsonNode& body, BillingMode mode);

// A new table of the call's name, with what the body says of billing, throughput, keys, indexes and
// encryption; CREATING as long as Settings::control_plane_delay says. Error if the account's quotas
// are enforced and exceeded.
Result<Table> build_new_table(const JsonNode& body, BillingMode mode, std::string_view scope,
                              const Snapshot& snapshot, Random& random, const Call& call);

}  // namespace stator

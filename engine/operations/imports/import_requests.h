// The members of ImportTable that describe its input: checks of what no generic check has, and
// their values.
#pragma once

#include "engine/schema/import_job.h"
#include "engine/seams/random.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"

namespace stator {

// Checks the model's patterns, then whether InputFormatOptions fit the format.
Result<void> check_import_input(const JsonNode& body);

// The request with its defaults. A missing token gets a value of `random`, a missing owner of the
// bucket is the account. REQUIRES: the body was checked.
ImportRequest import_request_of(const JsonNode& body, std::string_view account_id, Random& random);

}  // namespace stator

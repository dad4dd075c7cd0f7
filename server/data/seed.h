// `--seed DIR`: tables and items that a server loads before it says that it listens.
//
// NAME.table.json defines a table: the input of CreateTable, which may also have a
// TimeToLiveSpecification, or a response of DescribeTable. Other files NAME.… contain its items, in
// any format of an import; a folder NAME is an export.
#pragma once

#include <filesystem>

#include "server/data/transfer/dynamodb_client.h"

namespace stator::data {

// Loads the folder through the server at `endpoint`, which must respond meanwhile. Tables that
// exist are left unchanged, but a table that an interrupted start left incomplete is made again. On
// an error returns false after lines on stderr, and removes the table in work; earlier ones remain.
// Ends early if interrupted.
bool seed(const Endpoint& endpoint, const std::filesystem::path& folder);

}  // namespace stator::data

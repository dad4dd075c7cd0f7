// `--seed DIR`: tables and items that a server has when it says that it listens.
//
// NAME.table.json makes a table: the input of CreateTable, which may have a TimeToLiveSpecification
// beside, or an answer of DescribeTable. Other files NAME.… hold its items, in any format of an
// import; a folder NAME is an export.
#pragma once

#include <filesystem>

#include "server/data/dynamodb_client.h"

namespace stator::data {

// Asks the server at `endpoint`, which must answer meanwhile. Tables that are there are left as
// they are, without items, unless a start that was ended while it loaded them left them: those are
// made anew. False when something is wrong, after lines on stderr; the table on which it was is
// removed, those before it stay. Ends early when interrupted.
bool seed(const Endpoint& endpoint, const std::filesystem::path& folder);

}  // namespace stator::data

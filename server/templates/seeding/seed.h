// `--seed PATH`: tables and items that a server loads before it says that it listens.
//
// PATH is a template, or a folder with templates or with files NAME.table.json: the input of
// CreateTable, which may also have a TimeToLiveSpecification, or a response of DescribeTable. Other
// files NAME.… of a folder contain the table's items, in any format of an import; a folder NAME is
// an export.
#pragma once

#include <filesystem>

#include "server/data/transfer/dynamodb_client.h"

namespace stator::templates {

// Loads the path through the server at `endpoint`, which must respond meanwhile. Tables that exist
// are left unchanged, but a table that an interrupted start left incomplete is made again. Nothing
// is made if a file that describes tables has a mistake. On another error removes the table in
// work and those that this call made of templates; earlier ones of NAME.table.json remain. Returns
// false then, after lines on stderr. Ends early if interrupted.
bool seed(const data::Endpoint& endpoint, const std::filesystem::path& path);

}  // namespace stator::templates

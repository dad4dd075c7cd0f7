// The sample items of a template, put into its table.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "server/data/transfer/table_info.h"

namespace stator::templates {

// Puts the items, objects of DynamoDB JSON, whatever is there; of items with one key the last one
// stays. The error names the item by its number. REQUIRES: the endpoint has responded before.
tl::expected<void, data::Failure> put_items(const data::Endpoint& endpoint,
                                            const std::string& table, const data::TableInfo& info,
                                            const std::vector<std::string>& items);

}  // namespace stator::templates

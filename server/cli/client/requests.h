// The requests of the client's commands: what to send, from the user's words and the table's keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "server/cli/client/filter_text.h"
#include "server/cli/client/sort_condition.h"
#include "server/data/transfer/table_info.h"

namespace stator::client {

// A call of one operation, or several with the pages of one result.
struct Request {
  std::string_view operation;
  std::string members;  // of the body, without its braces
  // The response's member with the items (an array) or the item (an object); empty: none.
  std::string_view items = {};
  // The response's member with the place of the next page, and the request's for it; empty: there
  // is one page.
  std::string_view next = {};
  std::string_view start = {};
  // The request's Limit may be what is left of the user's: it evaluates no other items.
  bool passes_limit = false;
  std::uint64_t page_items = 0;  // the Limit of a page in any case; 0: the service decides
};

// What all requests about items have.
struct RequestFlags {
  bool is_consistent = false;
  bool wants_units = false;
};

// The words that name an item.
struct KeyWords {
  std::string partition;
  std::optional<std::string> sort = {};
};

struct QueryWords {
  std::string partition;
  std::optional<SortCondition> sort = {};
  std::string index = {};  // empty: the table
  bool is_descending = false;
  std::optional<FilterParts> filter = {};
};

using RequestPlan = tl::expected<Request, std::string>;  // the error is for people

RequestPlan get_request(const std::string& table, const data::TableInfo& info,
                        const KeyWords& words, const RequestFlags& flags);
RequestPlan delete_request(const std::string& table, const data::TableInfo& info,
                           const KeyWords& words, const RequestFlags& flags);
RequestPlan query_request(const std::string& table, const data::TableInfo& info,
                          const QueryWords& words, const RequestFlags& flags);
Request scan_request(const std::string& table, const std::optional<FilterParts>& filter,
                     const RequestFlags& flags);
// `item`: DynamoDB JSON.
Request put_request(const std::string& table, std::string_view item, const RequestFlags& flags);
Request sql_request(std::string_view statement, const RequestFlags& flags);
Request list_request();

// The key attributes of the table, then those of the index unless it is empty. They lead the
// columns of a table.
std::vector<std::string> leading_attributes(const data::TableInfo& info, std::string_view index);

}  // namespace stator::client

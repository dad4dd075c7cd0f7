// `stator describe` and `stator create`: a table's description, and a new table from a line of
// words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "server/cli/client/client_command.h"
#include "server/data/transfer/table_info.h"

namespace stator::client {

// The words of `stator create`.
struct CreateWords {
  std::string partition;             // NAME[:TYPE]
  std::string sort;                  // as above; empty: none
  std::vector<std::string> indexes;  // NAME=KEY[,KEY], each KEY as above
  std::string_view stream;           // a StreamViewType, a literal; empty: no stream
  std::string expiry;                // the attribute of the time to live; empty: none
};

// What these words ask for. A type that is not given is S. The error is for people: a word is
// malformed, or an attribute has two types.
tl::expected<data::TableInfo, std::string> table_of(const CreateWords& words);

// Both return the exit status: 0, or 1 with a line on stderr. A table that was made stays when a
// later step fails.
int run_describe(const ClientOptions& options, const std::string& table);
int run_create(const ClientOptions& options, const std::string& table, const CreateWords& words);

}  // namespace stator::client

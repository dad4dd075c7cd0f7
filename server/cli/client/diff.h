// `stator diff`: the items of two tables or files, compared by their keys.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "server/cli/client/client_command.h"
#include "server/cli/output/change_text.h"

namespace stator::client {

// Where items are: in a file, or in a table.
struct DiffSide {
  std::string name;  // for people
  std::string file = {};
  std::string table = {};                       // a name or an ARN; empty: the other side's
  std::optional<data::Endpoint> endpoint = {};  // empty: that of the command
};

struct DiffWords {
  DiffSide first;
  DiffSide second;
  std::string key = {};                             // "pk:S,sk:N"; empty: that of a table
  std::set<std::string, std::less<>> ignored = {};  // attributes
  ChangeFormat format = ChangeFormat::Text;
};

// Reads "TABLE", a file's name or "endpoint:URL/TABLE", whose table may be missing. The side has
// the URL's text in `url` then.
DiffSide read_diff_side(const std::string& word, std::string& url);

// Prints a line for each item that differs. Holds the items of both sides in memory. Returns the
// exit status: 0 if all are equal, 3 if some differ, 1 with a line on stderr.
int run_diff(const ClientOptions& options, DiffWords words);

}  // namespace stator::client

// `stator copy --from URL --to URL [TABLE...]`: copies tables with their settings, tags and items
// between endpoints.
#pragma once

#include <string>
#include <vector>

#include "server/data/transfer/dynamodb_client.h"

namespace stator::data {

// The name of a table and that of its copy.
struct CopyNames {
  std::string source;
  std::string target;
};
// Parses "Orders" or "Orders:OrdersCopy".
CopyNames names_of(const std::string& text);

struct CopyOptions {
  Endpoint from;
  Endpoint to;
  std::vector<std::string> tables;  // as names_of() reads them; empty: all
  unsigned segments = 4;
  double items_per_s = 0;  // 0: as many as go
  // Also copies items into tables that exist already.
  bool is_merging = false;
  bool is_schema_only = false;  // no items
  std::string state = "stator-copy.json";
};

// Returns the exit status: 0 with a line for each table on stdout if all are copied; else 1 with
// lines on stderr. The same command continues an unfinished copy.
int run_copy(const CopyOptions& options);

}  // namespace stator::data

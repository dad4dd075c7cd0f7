// `stator copy --from URL --to URL [TABLE...]`: tables with all that belongs to them from one
// endpoint to another.
#pragma once

#include <string>
#include <vector>

#include "server/data/dynamodb_client.h"

namespace stator::data {

struct CopyOptions {
  Endpoint from;
  Endpoint to;
  std::vector<std::string> tables;  // empty: all
  unsigned segments = 4;
  double items_per_s = 0;  // 0: as many as go
  // Items go into tables that are there already, too.
  bool is_merging = false;
  std::string state = "stator-copy.json";
};

// The exit status: 0 when all tables are copied, after a line for each on stdout; 1 otherwise,
// after lines on stderr. The same command goes on where it ended.
int run_copy(const CopyOptions& options);

}  // namespace stator::data

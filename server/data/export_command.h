// `stator export TABLE FILE`: the items of a table of any endpoint into a file.
#pragma once

#include "server/data/dynamodb_client.h"
#include "server/data/item_sink.h"

namespace stator::data {

struct ExportOptions {
  Endpoint endpoint;
  SinkOptions sink;
  double items_per_s = 0;  // 0: as many as go
};

// What the name of a file says: "x.csv.gz" is CSV. Auto: nothing.
Format format_of_name(std::string_view path);

// The exit status: 0 when all items are in the file, after one line (on stderr when the items are
// on stdout); 1 otherwise, after lines on stderr, and there is no file then.
int run_export(const ExportOptions& options);

}  // namespace stator::data

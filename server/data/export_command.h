// `stator export TABLE FILE`: writes the items of a table of any endpoint to a file.
#pragma once

#include "server/data/formats/item_sink.h"
#include "server/data/transfer/dynamodb_client.h"

namespace stator::data {

struct ExportOptions {
  Endpoint endpoint;
  SinkOptions sink;
  double items_per_s = 0;  // 0: as many as go
};

// The format for a file name: "x.csv.gz" is CSV. Auto if the name says nothing.
Format format_of_name(std::string_view path);

// Returns the exit status: 0 with one line (on stderr if the items are on stdout) if the file is
// complete; else 1 with lines on stderr, and there is no file.
int run_export(const ExportOptions& options);

}  // namespace stator::data

// `stator import TABLE FILE...`: writes the items of files to a table of any endpoint.
#pragma once

#include <string>
#include <vector>

#include "server/data/formats/records.h"
#include "server/data/transfer/dynamodb_client.h"

namespace stator::data {

struct ImportOptions {
  Endpoint endpoint;
  std::string table;
  std::vector<std::string> files;
  ReadOptions reading;
  // "pk:S,sk:N" to create the table if it is missing; empty: it must exist.
  std::string key;
  bool keeps_going = false;
  std::string rejects = "rejects.txt";
  unsigned connections = 4;
  double items_per_s = 0;  // 0: as many as go
  bool tells_formats = false;
};

// Tells on stderr what each file is taken for. Returns the exit status: 0 with one line on stdout
// if every record was written; else 1 with lines on stderr that give the reasons and the number
// written.
int run_import(ImportOptions options);

// As run_import(), for callers that report success themselves. Returns false, after lines on
// stderr, on a failure.
bool import_files(ImportOptions options);

}  // namespace stator::data

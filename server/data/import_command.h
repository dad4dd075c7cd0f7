// `stator import TABLE FILE...`: items of files into a table of any endpoint.
#pragma once

#include <string>
#include <vector>

#include "server/data/dynamodb_client.h"
#include "server/data/records.h"

namespace stator::data {

struct ImportOptions {
  Endpoint endpoint;
  std::string table;
  std::vector<std::string> files;
  ReadOptions reading;
  // "pk:S,sk:N": makes the table when it is not there. Empty: it must be.
  std::string key;
  bool keeps_going = false;
  std::string rejects = "rejects.txt";
  unsigned connections = 4;
  double items_per_s = 0;  // 0: as many as go
};

// The exit status: 0 when every record was written, after one line on stdout; 1 otherwise, after
// lines on stderr that say what is wrong and how many were written.
int run_import(ImportOptions options);

// The same for who says himself that it is done. False: lines on stderr say what is wrong.
bool import_files(ImportOptions options);

}  // namespace stator::data

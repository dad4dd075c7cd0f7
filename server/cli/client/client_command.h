// The client's commands: `stator tables`, get, query, scan, put, delete, sql;
// watch.h has `stator watch` and `stream`, diff.h `stator diff`, table_commands.h `stator describe`
// and `create`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/cli/client/requests.h"
#include "server/cli/output/item_output.h"
#include "server/client/endpoint.h"

namespace stator::client {

// What the commands share.
struct ClientOptions {
  data::Endpoint endpoint = {};
  OutputOptions output = {};
  RequestFlags flags = {};
  std::optional<std::uint64_t> limit = {};  // of the items to show
  bool explains = false;                    // what the server did for each request
};

// Where the item of `stator put` is.
struct PutWords {
  std::string json;  // unless there is a file
  std::string file;  // "-" is stdin; empty: none
  bool is_typed = false;
};

// Each returns the exit status: 0, also if the reader of stdout has gone; or 1 with a line on
// stderr, after the items that came before the failure.
int run_tables(const ClientOptions& options, const std::string& table);  // empty: all tables
int run_get(const ClientOptions& options, const std::string& table, const KeyWords& words);
int run_query(const ClientOptions& options, const std::string& table, const QueryWords& words);
int run_scan(const ClientOptions& options, const std::string& table,
             const std::optional<FilterParts>& filter);
int run_put(const ClientOptions& options, const std::string& table, const PutWords& words);
int run_delete(const ClientOptions& options, const std::string& table, const KeyWords& words);
int run_sql(const ClientOptions& options, const std::string& statement);

}  // namespace stator::client

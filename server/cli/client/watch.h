// `stator watch` and `stator stream`: the changes of a table as its stream reports them.
#pragma once

#include <string>

#include "server/cli/client/client_command.h"
#include "server/cli/client/stream_shards.h"
#include "server/cli/output/change_text.h"

namespace stator::client {

struct WatchWords {
  StreamStart start = StreamStart::Latest;
  ChangeFormat format = ChangeFormat::Auto;
  bool ends_at_latest = false;  // ends when no shard has a record left
};

// Prints a line for each change until a signal, or until the reader of stdout has gone. Returns the
// exit status: 0, or 1 with a line on stderr.
int run_watch(const ClientOptions& options, const std::string& table, WatchWords words);

}  // namespace stator::client

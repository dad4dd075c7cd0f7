// `stator log`: the requests that a server answers, a line each, from the list that `stator
// explain` shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "server/options/options.h"

namespace stator {

struct LogOptions {
  // Auto: text on a terminal, otherwise lines of JSON.
  enum class Form : std::uint8_t { Auto, Text, Json };

  HealthOptions server;
  std::string table;      // empty: requests to any table
  std::size_t last = 20;  // requests to begin with
  bool follows = false;   // also requests that come later
  Form form = Form::Auto;
};

// Without a chosen server, addresses the one that `find` returns. A server that ends while it is
// followed is waited for. Returns the exit status: 0, or 1 with one line on stderr.
int run_log(LogOptions options, const FindServer& find);

}  // namespace stator

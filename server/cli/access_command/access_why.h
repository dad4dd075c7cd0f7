// `stator access why`: why a running server has denied a request, statement by statement.
#pragma once

#include <string>

#include "server/options/options.h"

namespace stator {

struct AccessWhyOptions {
  HealthOptions server;
  std::string request_id;  // empty: the latest denials
  std::string principal;
  int last = 1;  // how many, without a request
  bool is_json = false;
};

// Returns the exit status: 0 done, 1 failed, or no such denial is known.
int run_access_why(AccessWhyOptions options, const FindServer& find);

}  // namespace stator

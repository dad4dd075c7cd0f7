// `stator access report`: which permissions the programs of a running server have used.
#pragma once

#include <string>

#include "server/options/options.h"

namespace stator {

struct AccessReportOptions {
  HealthOptions server;
  std::string principal;
  std::string since;
  std::string against;
  std::string format;  // empty: JSON
  bool only_denied = false;
  bool has_resources = true;
  bool has_index_names = true;
  bool has_attributes = false;
  bool is_check = false;  // prints what was denied, and fails if anything was
};

// Returns the exit status: 0 done, 1 failed, or something was denied that is checked.
int run_access_report(AccessReportOptions options, const FindServer& find);

}  // namespace stator

// StreamName: a stream as a client names it.
#pragma once

#include <string_view>

namespace stator {

// Any text; need not be the name of a stream.
struct StreamName {
  std::string_view scope;
  std::string_view table_name;
  std::string_view label;
};

}  // namespace stator

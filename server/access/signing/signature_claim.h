// What a request says about its signature. Its form is right; whether it is true, the secret shows.
#pragma once

#include <string_view>

namespace stator::access {

// Views into the request or its arena.
struct SignatureClaim {
  std::string_view access_key;
  std::string_view date;  // of the scope
  std::string_view region;
  std::string_view service;
  std::string_view time;            // "20130609T100015Z"
  std::string_view signed_headers;  // "host;x-amz-date"
  std::string_view signature;       // in hex
  std::string_view token;           // of a session; empty: none
  bool is_query = false;            // the query has it, not the header Authorization
};

}  // namespace stator::access

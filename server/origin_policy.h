// OriginPolicy: which pages in a browser may talk to this server.
//
// Only browsers send Origin, so requests without one are not looked at. Two things guard the data
// from the pages that a developer visits: answers are given to pages of allowed origins only
// (CORS), and a page whose own name was made to point at this machine (DNS rebinding), which needs
// no CORS, is known by the Host that it sends.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/http_request.h"

namespace stator {

// What the flags say.
struct OriginOptions {
  // "*": any origin; "loopback": pages of this machine (localhost, 127.0.0.0/8, ::1); otherwise
  // origins, separated by commas.
  std::string origins = "loopback";
  // Names of this server, separated by commas, beside addresses, localhost and names without dots.
  std::string hosts;
};

class OriginPolicy {
 public:
  explicit OriginPolicy(const OriginOptions& options);

  // What Access-Control-Allow-Origin is to say to a request with this Origin; empty: nothing. A
  // view of a constant or of `origin`.
  std::string_view allowed_origin(std::string_view origin) const;

  // Whether the request, which has an Origin, means this server by its Host: an address, a name
  // without dots, localhost or a name below it, or an allowed one.
  bool is_own_host(std::string_view host) const;

 private:
  bool allows_any_ = false;
  bool allows_loopback_ = false;
  std::vector<std::string> origins_;
  std::vector<std::string> hosts_;  // lower case
};

}  // namespace stator

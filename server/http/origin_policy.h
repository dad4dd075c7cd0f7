// OriginPolicy: which web pages may use this server. SECURITY.md has it as a table.
//
// It protects the data from pages that a developer visits. Only pages of allowed origins may read
// responses (CORS), and the admin path rejects requests of all others. With DNS rebinding, an
// attacker's host name resolves to this machine; such a page needs no CORS and sends no Origin with
// a GET. Its Host header reveals it.
//
// A server that listens beyond its machine also wants a token from browsers that do not reach it by
// a name of this machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/http_request.h"

namespace stator {

// The values of the flags.
struct OriginOptions {
  // "*" for any origin; "loopback" for pages of this machine (localhost, 127.0.0.0/8, ::1);
  // otherwise origins separated by commas.
  std::string origins = "loopback";
  // More names of this server, separated by commas. Addresses, localhost and names without dots are
  // always allowed.
  std::string hosts;
  // What browsers send as x-stator-token to the admin path, unless they name this machine as
  // localhost or a loopback address; empty: nothing. The console's files need none.
  std::string token = {};
  // Whether all requests to the admin path need the token, wherever they come from and whatever
  // sends them; without a token none is served.
  bool token_for_all = false;
};

enum class Entry : std::uint8_t {
  Open,
  ForeignHost,    // status 403: Host is not a name of this server
  ForeignOrigin,  // status 403: this origin may not use the admin path
  NoToken,        // status 401: a browser, or anyone with token_for_all, without the token
};

struct OriginVerdict {
  Entry entry = Entry::Open;
  // The value of Access-Control-Allow-Origin; empty to omit the header. A view of a constant or of
  // the request.
  std::string_view allowed_origin = {};
  // Whether the response depends on the Origin, so it needs the header Vary.
  bool varies = false;
};

// Whether a host, with or without a port, means the machine of the client itself.
bool is_loopback_host(std::string_view host);

class OriginPolicy {
 public:
  // `is_tls`: the server's own pages have the scheme https. Without an admin path, its URLs have no
  // special rules. With a console, a browser's visit to the root has those of the admin path.
  explicit OriginPolicy(const OriginOptions& options, bool is_tls = false,
                        bool has_admin_path = true, bool has_console = false);

  OriginVerdict judge(const HttpRequest& request) const;
  // Whether the request is for this server's admin path, which includes the console. The Runtime
  // API has the same rules, also without an admin path.
  bool is_for_admin_path(const HttpRequest& request) const;
  // Whether a browser opens the server's root as a page, and there is a console to show.
  bool is_console_visit(const HttpRequest& request) const;
  // Whether the request has this server's token.
  bool has_token(const HttpRequest& request) const;

 private:
  bool lacks_token(const HttpRequest& request) const;
  bool is_own_host(std::string_view host) const;
  bool is_own_origin(std::string_view origin, std::string_view host) const;
  bool is_listed(std::string_view origin) const;

  const std::string_view scheme_;
  const bool has_admin_path_;
  const bool has_console_;
  const bool allows_any_;
  const bool allows_loopback_;
  std::vector<std::string> origins_;
  std::vector<std::string> hosts_;  // lower case
  std::string token_;
  const bool token_for_all_;
};

}  // namespace stator

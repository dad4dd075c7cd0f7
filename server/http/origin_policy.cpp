// See origin_policy.h.

#include "server/http/origin_policy.h"

#include <algorithm>
#include <optional>

#include <boost/asio/ip/address.hpp>

#include "protocol/text/ascii_case.h"
#include "server/http/header_text.h"
#include "server/http/request_kind.h"

namespace stator {

namespace {

std::vector<std::string> parts_of(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::string_view part = trim_blanks(next_part(list, ','));
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

bool is_name_character(char c) {
  const char lower = to_lower(c);
  return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.';
}

bool is_port(std::string_view text) {
  constexpr std::size_t kPortDigitsMax = 5;
  return !text.empty() && text.size() <= kPortDigitsMax &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "example.com" from "Example.com.:8000", "::1" from "[::1]:8000"; nullopt if it is neither a name
// nor an address, with or without a port. Drops a final dot.
std::optional<std::string> name_of(std::string_view host) {
  std::string_view name;
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    name = host.substr(1, end - 1);
    host.remove_prefix(end + 1);
  } else {
    name = host.substr(0, host.find(':'));
    host.remove_prefix(name.size());
    if (!std::all_of(name.begin(), name.end(), is_name_character)) return std::nullopt;
    if (name.ends_with('.')) name.remove_suffix(1);
  }
  if (!host.empty() && !(host[0] == ':' && is_port(host.substr(1)))) return std::nullopt;
  return lower_case(name);
}

bool is_local_name(std::string_view name) {
  return name == "localhost" || name.ends_with(".localhost");
}

// Whether a request to the admin path changes something or shows requests with their items. A
// preflight stands for a request that a page may not send without one.
bool is_for_own_pages(const HttpRequest& request) {
  constexpr std::string_view kRequests = "/_stator/requests";
  return !is_get(request) || request.path().starts_with(kRequests);
}

bool is_loopback_origin(std::string_view origin) {
  const std::size_t scheme_end = origin.find("://");
  return scheme_end != std::string_view::npos && is_loopback_host(origin.substr(scheme_end + 3));
}

}  // namespace

bool is_loopback_host(std::string_view host) {
  const auto name = name_of(host);
  if (!name) return false;
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(*name, error);
  return error ? is_local_name(*name) : address.is_loopback();
}

OriginPolicy::OriginPolicy(const OriginOptions& options, bool is_tls, bool has_admin_path,
                           bool has_console)
    : scheme_(is_tls ? "https://" : "http://"),
      has_admin_path_(has_admin_path),
      has_console_(has_admin_path && has_console),
      allows_any_(options.origins == "*"),
      allows_loopback_(options.origins == "loopback"),
      origins_(parts_of(options.origins)),
      token_(options.token),
      token_for_all_(options.token_for_all) {
  for (const std::string& host : parts_of(options.hosts)) {
    if (auto name = name_of(host)) hosts_.push_back(*std::move(name));
  }
}

OriginVerdict OriginPolicy::judge(const HttpRequest& request) const {
  const bool is_admin = is_for_admin_path(request) || is_console_visit(request);
  const bool is_page = request.has(Header::Origin);
  OriginVerdict verdict;
  // With `*`, the signed API responds to all pages alike. Otherwise a browser may cache the
  // response to a GET without an Origin, so Vary is needed then too.
  verdict.varies = is_admin || (!allows_any_ && (is_page || is_get(request)));
  if (!is_admin && !is_page) return verdict;

  const std::string_view host = request.header(Header::Host);
  if (!is_own_host(host)) {
    verdict.entry = Entry::ForeignHost;
    return verdict;
  }
  if (lacks_token(request)) verdict.entry = Entry::NoToken;
  if (!is_page) return verdict;
  const std::string_view origin = request.header(Header::Origin);
  // The service allows * for all pages. The admin path is never open to all pages, whatever the
  // flags, and to other pages of this machine only for reading.
  const bool is_local =
      is_admin ? (allows_loopback_ || allows_any_) && !is_for_own_pages(request) : allows_loopback_;
  if ((is_local && is_loopback_origin(origin)) || (allows_any_ && !is_admin)) {
    verdict.allowed_origin = "*";
  } else if (is_listed(origin) || is_own_origin(origin, host)) {
    verdict.allowed_origin = origin;
  } else if (is_admin) {
    verdict.entry = Entry::ForeignOrigin;
  }
  return verdict;
}

bool OriginPolicy::is_for_admin_path(const HttpRequest& request) const {
  return (has_admin_path_ && is_admin_request(request)) || is_runtime_request(request);
}

bool OriginPolicy::is_console_visit(const HttpRequest& request) const {
  return has_console_ && is_page_visit(request);
}

// A page cannot choose its Host: with a name of this machine, its browser is on this machine, or
// reaches the server through a port that is published there. A preflight has no token.
bool OriginPolicy::lacks_token(const HttpRequest& request) const {
  const bool is_free = !is_for_admin_path(request) || is_console_request(request) ||
                       request.method() == Method::Options;
  if (is_free || has_token(request)) return false;
  if (token_for_all_) return true;
  return !token_.empty() && is_of_browser(request) &&
         !is_loopback_host(request.header(Header::Host));
}

bool OriginPolicy::has_token(const HttpRequest& request) const {
  return !token_.empty() && is_same_secret(request.header(Header::XStatorToken), token_);
}

bool OriginPolicy::is_listed(std::string_view origin) const {
  return !allows_any_ && std::find(origins_.begin(), origins_.end(), origin) != origins_.end();
}

// Whether this server itself delivered the page, under the host name of the request.
bool OriginPolicy::is_own_origin(std::string_view origin, std::string_view host) const {
  return lower_case(origin) == std::string(scheme_) + lower_case(host);
}

bool OriginPolicy::is_own_host(std::string_view host) const {
  const auto name = name_of(host);
  if (!name) return false;
  if (name->find('.') == std::string::npos || is_local_name(*name)) return true;
  boost::system::error_code error;
  boost::asio::ip::make_address(*name, error);
  return !error || std::find(hosts_.begin(), hosts_.end(), *name) != hosts_.end();
}

}  // namespace stator

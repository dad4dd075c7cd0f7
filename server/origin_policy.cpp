// See origin_policy.h.

#include "server/origin_policy.h"

#include <algorithm>

#include <boost/asio/ip/address.hpp>

#include "server/header_text.h"

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

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), to_lower);
  return lower;
}

// "example.com" of "example.com:8000", "::1" of "[::1]:8000"; a last dot says nothing.
std::string name_of(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    return end == std::string_view::npos ? std::string() : std::string(host.substr(1, end - 1));
  }
  host = host.substr(0, host.find(':'));
  if (host.ends_with('.')) host.remove_suffix(1);
  return lower_case(host);
}

bool is_local_name(std::string_view name) {
  return name == "localhost" || name.ends_with(".localhost");
}

bool is_loopback_origin(std::string_view origin) {
  const std::size_t scheme_end = origin.find("://");
  if (scheme_end == std::string_view::npos) return false;
  const std::string name = name_of(origin.substr(scheme_end + 3));
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(name, error);
  return error ? is_local_name(name) : address.is_loopback();
}

}  // namespace

OriginPolicy::OriginPolicy(const OriginOptions& options) : origins_(parts_of(options.origins)) {
  allows_any_ = options.origins == "*";
  allows_loopback_ = options.origins == "loopback";
  for (const std::string& host : parts_of(options.hosts)) hosts_.push_back(name_of(host));
}

std::string_view OriginPolicy::allowed_origin(std::string_view origin) const {
  // The service says * to everybody.
  if (allows_any_ || (allows_loopback_ && is_loopback_origin(origin))) return "*";
  return std::find(origins_.begin(), origins_.end(), origin) != origins_.end() ? origin
                                                                               : std::string_view();
}

bool OriginPolicy::is_own_host(std::string_view host) const {
  const std::string name = name_of(host);
  if (name.find('.') == std::string::npos || is_local_name(name)) return true;
  boost::system::error_code error;
  boost::asio::ip::make_address(name, error);
  return !error || std::find(hosts_.begin(), hosts_.end(), name) != hosts_.end();
}

}  // namespace stator

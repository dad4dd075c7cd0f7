#include "server/http/request_kind.h"

#include <algorithm>
#include <array>

#include "server/http/header_text.h"

namespace stator {

namespace {

constexpr std::string_view kJson10 = "application/x-amz-json-1.0";
constexpr std::string_view kJson11 = "application/x-amz-json-1.1";  // of other services
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kCbor11 = "application/x-amz-cbor-1.1";

std::string_view media_type(const HttpRequest& request) {
  std::string_view text = request.header(Header::ContentType);
  return trim_blanks(next_part(text, ';'));
}

bool is_json_1_0(const HttpRequest& request) {
  return equals_ignoring_case(media_type(request), kJson10);
}

bool is_json_1_1(const HttpRequest& request) {
  return equals_ignoring_case(media_type(request), kJson11);
}

// Whether Accept lists the type, whatever its parameters.
bool names_type(const HttpRequest& request, std::string_view type) {
  std::string_view list = request.header(Header::Accept);
  while (!list.empty()) {
    std::string_view entry = next_part(list, ',');
    if (equals_ignoring_case(trim_blanks(next_part(entry, ';')), type)) return true;
  }
  return false;
}

}  // namespace

bool is_cbor_request(const HttpRequest& request) {
  constexpr std::string_view kKinesis = "Kinesis_";
  return request.header(Header::XAmzTarget).starts_with(kKinesis) &&
         equals_ignoring_case(media_type(request), kCbor11);
}

// Both look first for what nearly all clients send.
bool is_taken_type(const HttpRequest& request) {
  if (is_json_1_0(request)) return true;
  if (is_cbor_request(request)) return true;
  if (is_json_1_1(request)) return !other_service(request).empty();
  return equals_ignoring_case(media_type(request), kJson);
}

std::string_view answer_type(const HttpRequest& request) {
  if (is_json_1_0(request)) return kJson10;
  if (is_cbor_request(request)) return kCbor11;
  if (is_json_1_1(request)) return kJson11;
  return kJson;
}

std::string_view other_service(const HttpRequest& request) {
  const std::string_view target = request.header(Header::XAmzTarget);
  const std::size_t dot = target.rfind('.');
  if (dot == std::string_view::npos || target.starts_with("DynamoDB")) return {};
  return target.substr(0, dot);
}

std::string_view method_name(Method method) {
  switch (method) {
    case Method::Get:
      return "GET";
    case Method::Head:
      return "HEAD";
    case Method::Options:
      return "OPTIONS";
    case Method::Post:
      return "POST";
    case Method::Put:
      return "PUT";
    case Method::Delete:
      return "DELETE";
    case Method::Other:
      break;
  }
  return "other method";
}

bool is_admin_request(const HttpRequest& request) {
  constexpr std::string_view kPrefix = "/_stator/";
  constexpr std::string_view kMetrics = "/metrics";  // Prometheus looks there by default
  const std::string_view path = request.path();
  return path.starts_with(kPrefix) || path == kMetrics;
}

bool is_runtime_request(const HttpRequest& request) {
  constexpr std::array<std::string_view, 5> kPrefixes = {
      "/_stator/function/", "/2018-06-01/runtime/", "/2020-01-01/extension/", "/2020-08-15/logs",
      "/2022-07-01/telemetry"};
  const std::string_view path = request.path();
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [path](std::string_view prefix) { return path.starts_with(prefix); });
}

bool is_console_request(const HttpRequest& request) {
  constexpr std::string_view kConsole = "/_stator/console";
  const std::string_view path = request.path();
  return path.starts_with(kConsole) &&
         (path.size() == kConsole.size() || path[kConsole.size()] == '/');
}

bool is_page_visit(const HttpRequest& request) {
  // Browsers name both types. Java 17 names text/html alone.
  return request.method() == Method::Get && request.target() == "/" &&
         names_type(request, "text/html") && names_type(request, "application/xhtml+xml") &&
         !request.has(Header::Authorization) && !request.has_amz_header();
}

bool is_of_browser(const HttpRequest& request) {
  return request.has(Header::Origin) || request.has(Header::XStatorConsole) ||
         request.header(Header::UserAgent).starts_with("Mozilla/");
}

bool is_get(const HttpRequest& request) {
  return request.method() == Method::Get || request.method() == Method::Head;
}

std::string_view plain_host(std::string_view host) {
  const bool is_plain = std::all_of(host.begin(), host.end(), [](char c) {
    const char lower = to_lower(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') ||
           std::string_view{".:-_[]%"}.find(c) != std::string_view::npos;
  });
  return is_plain ? host : std::string_view{};
}

}  // namespace stator

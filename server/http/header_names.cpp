#include "server/http/header_names.h"

#include <array>

#include "server/http/header_text.h"

namespace stator {

namespace http = boost::beast::http;

namespace {

// Headers that Beast does not know.
struct HeaderName {
  std::string_view name;  // lower case
  Header header;
};
constexpr std::array<HeaderName, 17> kOwnHeaders{{
    {"amz-sdk-request", Header::AmzSdkRequest},
    {"lambda-runtime-function-error-type", Header::LambdaRuntimeFunctionErrorType},
    {"lambda-runtime-function-response-mode", Header::LambdaRuntimeFunctionResponseMode},
    {"mcp-method", Header::McpMethod},
    {"mcp-name", Header::McpName},
    {"mcp-protocol-version", Header::McpProtocolVersion},
    {"x-amz-client-context", Header::XAmzClientContext},
    {"x-amz-date", Header::XAmzDate},
    {"x-amz-invocation-type", Header::XAmzInvocationType},
    {"x-amz-log-type", Header::XAmzLogType},
    {"x-amz-target", Header::XAmzTarget},
    {"x-stator-console", Header::XStatorConsole},
    {"x-stator-dry-run", Header::XStatorDryRun},
    {"x-stator-explain", Header::XStatorExplain},
    {"x-stator-fault", Header::XStatorFault},
    {"x-stator-log", Header::XStatorLog},
    {"x-stator-token", Header::XStatorToken},
}};

std::optional<Header> find_own_header(std::string_view name) {
  for (const auto& [known, header] : kOwnHeaders) {
    if (equals_ignoring_case(name, known)) return header;
  }
  return std::nullopt;
}

}  // namespace

bool is_amz_name(std::string_view name) {
  constexpr std::string_view kPrefix = "x-amz-";
  return equals_ignoring_case(name.substr(0, kPrefix.size()), kPrefix);
}

std::optional<Header> find_header(http::field field, std::string_view name) {
  switch (field) {
    case http::field::accept:
      return Header::Accept;
    case http::field::accept_encoding:
      return Header::AcceptEncoding;
    case http::field::access_control_request_headers:
      return Header::AccessControlRequestHeaders;
    case http::field::access_control_request_method:
      return Header::AccessControlRequestMethod;
    case http::field::authorization:
      return Header::Authorization;
    case http::field::content_encoding:
      return Header::ContentEncoding;
    case http::field::content_type:
      return Header::ContentType;
    case http::field::date:
      return Header::Date;
    case http::field::expect:
      return Header::Expect;
    case http::field::host:
      return Header::Host;
    case http::field::if_none_match:
      return Header::IfNoneMatch;
    case http::field::origin:
      return Header::Origin;
    case http::field::user_agent:
      return Header::UserAgent;
    case http::field::unknown:
      return find_own_header(name);
    default:
      return std::nullopt;
  }
}

}  // namespace stator

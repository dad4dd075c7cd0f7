// See auth.h.

#include "server/auth.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <string_view>

#include "protocol/utf8.h"
#include "server/header_text.h"
#include "server/iso_time.h"

namespace stator {

namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view kService = "dynamodb";
constexpr std::string_view kTerminator = "aws4_request";
constexpr std::size_t kAccessKeyCharsMax = 128;
constexpr std::size_t kRegionCharsMax = 64;
constexpr std::int64_t kAgeMax_s = 15 * 60;
constexpr std::int64_t kPresignedAgeMax_s = 7 * 24 * 60 * 60;

struct Signature {
  std::string_view algorithm;
  std::string_view credential;
  std::string_view signed_headers;
  std::string_view value;
  std::string_view date;
  std::int64_t age_max_s = kAgeMax_s;
};

// Header bytes as they may stand in a JSON message.
std::string printable(std::string_view text) {
  std::string out{text};
  if (!is_valid_utf8(text)) {
    std::replace_if(
        out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  }
  return out;
}

template <class... Parts>
std::string join(const Parts&... parts) {
  std::string out;
  (out.append(parts), ...);
  return out;
}

Error incomplete(std::string message) {
  return Error(ErrorCode::IncompleteSignature, std::move(message));
}

Error invalid(std::string message) {
  return Error(ErrorCode::InvalidSignature, std::move(message));
}

// --- The two places of a signature
// ----------------------------------------------------------------

// AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…  (blanks behind the commas may be
// missing)
Result<Signature> read_header(const HttpRequest& request) {
  const std::string_view text = request.header(Header::Authorization);
  Signature signature;
  const std::size_t algorithm_end = std::min(text.find_first_of(" \t,"), text.size());
  signature.algorithm = text.substr(0, algorithm_end);
  std::string_view rest = text.substr(algorithm_end);
  while (!rest.empty()) {
    std::string_view part = trim_blanks(next_part(rest, ','));
    while (!part.empty()) {
      std::string_view value = next_part(part, ' ');
      const std::string_view name = next_part(value, '=');
      if (name == "Credential") signature.credential = value;
      if (name == "SignedHeaders") signature.signed_headers = value;
      if (name == "Signature") signature.value = value;
    }
  }
  const bool has_iso_date = request.has(Header::XAmzDate);
  signature.date = request.header(has_iso_date ? Header::XAmzDate : Header::Date);

  std::string missing;
  const auto demand = [&missing](std::string_view name, std::string_view value) {
    if (value.empty()) missing += join("Authorization header requires '", name, "' parameter. ");
  };
  demand("Credential", signature.credential);
  demand("Signature", signature.value);
  demand("SignedHeaders", signature.signed_headers);
  if (!has_iso_date && !request.has(Header::Date)) {
    missing +=
        "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ";
  }
  if (!missing.empty()) return incomplete(join(missing, "Authorization=", printable(text)));
  return signature;
}

std::string_view percent_decode(std::string_view text, Arena& arena) {
  if (text.find('%') == std::string_view::npos) return text;
  auto out = arena.allocate_array<char>(text.size());
  std::size_t size = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
        hex_digit(text[i + 2]) >= 0) {
      c = static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    }
    out[size++] = c;
  }
  return {out.data(), size};
}

// The value of a query parameter, or an empty optional.
std::optional<std::string_view> query_value(const HttpRequest& request, std::string_view name,
                                            Arena& arena) {
  std::string_view rest = request.query();
  while (!rest.empty()) {
    std::string_view value = next_part(rest, '&');
    if (next_part(value, '=') == name) return percent_decode(value, arena);
  }
  return std::nullopt;
}

Result<Signature> read_query(const HttpRequest& request, Arena& arena) {
  Signature signature;
  std::string missing;
  const auto take = [&](std::string_view name) {
    const std::string_view value = query_value(request, name, arena).value_or("");
    if (value.empty()) {
      missing += join("AWS query-string parameters must include '", name, "'. ");
    }
    return value;
  };
  signature.algorithm = take("X-Amz-Algorithm");
  signature.credential = take("X-Amz-Credential");
  signature.value = take("X-Amz-Signature");
  signature.signed_headers = take("X-Amz-SignedHeaders");
  signature.date = take("X-Amz-Date");
  if (!missing.empty()) return incomplete(missing + "Re-examine the query-string parameters.");

  std::int64_t expires_s = 0;
  for (const char c : query_value(request, "X-Amz-Expires", arena).value_or("")) {
    if (c < '0' || c > '9') break;
    expires_s = std::min(expires_s * 10 + (c - '0'), kPresignedAgeMax_s);
  }
  signature.age_max_s = std::max(expires_s, kAgeMax_s);
  return signature;
}

// --- Checks
// ---------------------------------------------------------------------------------------

Result<void> check_age(const Signature& signature, std::int64_t signed_s, std::int64_t now_s) {
  const auto minutes = [](std::int64_t seconds) { return std::to_string(seconds / 60) + " min.)"; };
  const std::string date = iso_basic(signed_s);
  const std::string now = iso_basic(now_s);
  if (signed_s < now_s - signature.age_max_s) {
    return invalid(join("Signature expired: ", date, " is now earlier than ",
                        iso_basic(now_s - signature.age_max_s), " (", now, " - ",
                        minutes(signature.age_max_s)));
  }
  if (signed_s > now_s + kAgeMax_s) {
    return invalid(join("Signature not yet current: ", date, " is still later than ",
                        iso_basic(now_s + kAgeMax_s), " (", now, " + ", minutes(kAgeMax_s)));
  }
  return {};
}

bool signs_host(std::string_view signed_headers) {
  while (!signed_headers.empty()) {
    if (equals_ignoring_case(next_part(signed_headers, ';'), "host")) return true;
  }
  return false;
}

bool is_region(std::string_view text) {
  return !text.empty() && text.size() <= kRegionCharsMax &&
         std::all_of(text.begin(), text.end(), [](char c) {
           const char lower = to_lower(c);
           return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
                  c == '_' || c == '.';
         });
}

// What real keys look like, and no more than storage is ready to keep.
bool is_access_key(std::string_view text) {
  return text.size() <= kAccessKeyCharsMax &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

// keyid/date/region/service/term
Result<Caller> check_credential(const Signature& signature, std::string_view iso_date) {
  const std::string_view credential = signature.credential;
  std::array<std::string_view, 5> parts;
  std::string_view rest = credential;
  for (auto& part : parts) part = next_part(rest, '/');
  if (std::count(credential.begin(), credential.end(), '/') != 4) {
    return incomplete(
        join("Credential must have exactly 5 slash-delimited elements, e.g. "
             "keyid/date/region/service/term, got '",
             printable(credential), "'"));
  }
  const auto& [access_key, date, region, service, terminator] = parts;
  std::string wrong;
  if (!is_region(region)) {
    wrong += join("Credential should be scoped to a valid region, not '", printable(region), "'. ");
  }
  if (service != kService) {
    wrong += join("Credential should be scoped to correct service: '", kService, "'. ");
  }
  if (terminator != kTerminator) {
    wrong += join("Credential should be scoped with a valid terminator: '", kTerminator, "', not '",
                  printable(terminator), "'. ");
  }
  const std::string_view day = iso_date.substr(0, 8);
  if (date != day) {
    wrong += join(
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from "
        "HTTP: '",
        printable(date), "' != '", day, "', from '", iso_date, "'.");
  }
  if (!wrong.empty()) return invalid(std::move(wrong));
  if (!is_access_key(access_key)) {
    return Error(ErrorCode::UnrecognizedClient,
                 "The security token included in the request is invalid.");
  }
  return Caller{region, access_key, /*host=*/{}};
}

Result<Caller> check(const Signature& signature, std::optional<Timestamp> now) {
  const auto signed_s = parse_signature_date(signature.date);
  if (!signed_s) {
    return incomplete(join("Date must be in ISO-8601 'basic format'. Got '",
                           printable(signature.date),
                           "'. See http://en.wikipedia.org/wiki/ISO_8601"));
  }
  if (now) STATOR_CHECK(check_age(signature, *signed_s, now->unix_s()));
  if (!signs_host(signature.signed_headers)) {
    return invalid("'Host' must be a 'SignedHeader' in the AWS Authorization.");
  }
  if (signature.algorithm != kAlgorithm) {
    return incomplete(join("Unsupported AWS 'algorithm': '", printable(signature.algorithm),
                           "' (only AWS4-HMAC-SHA256 for now). "));
  }
  if (signature.date.size() == kIsoBasicChars) return check_credential(signature, signature.date);
  return check_credential(signature, iso_basic(*signed_s));
}

}  // namespace

Result<Caller> authenticate(const HttpRequest& request, std::optional<Timestamp> now,
                            Arena& arena) {
  const std::string_view header = request.header(Header::Authorization);
  const bool is_query = query_value(request, "X-Amz-Algorithm", arena).has_value();
  if (!header.empty() && is_query) {
    return invalid(
        "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.");
  }
  if (!is_query && !header.starts_with("AWS4-")) {
    return Error(ErrorCode::MissingAuthenticationToken, "Request is missing Authentication Token");
  }
  STATOR_TRY(const Signature signature,
             is_query ? read_query(request, arena) : read_header(request));
  STATOR_TRY(const Caller caller, check(signature, now));
  // The path is part of what is signed, and clients sign "/".
  if (request.path() != "/") {
    return invalid(
        "The request signature we calculated does not match the signature you provided. Check your "
        "AWS Secret Access Key and signing method. Consult the service documentation for details.");
  }
  return caller;
}

}  // namespace stator

// See auth.h.

#include "server/dispatch/auth.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <string_view>

#include "engine/operations/operation.h"
#include "engine/seams/iso_time.h"
#include "protocol/text/utf8.h"
#include "server/access/signing/signing.h"
#include "server/http/header_text.h"
#include "server/http/query_text.h"

namespace stator {

namespace {

using access::SignatureClaim;

constexpr std::string_view kAlgorithm = access::kSigningAlgorithm;
constexpr std::string_view kTerminator = access::kScopeTerminator;
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
  bool is_query = false;
};

// What a signature has to be for.
struct SignatureRules {
  std::optional<Timestamp> now;  // empty: any age is good
  std::string_view service = kDynamoDbService;
  bool has_exact_span = false;  // a presigned query may also be valid for less than 15 minutes
};

// Replaces header bytes that a JSON message cannot hold.
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

// The error of a part without an equals sign. Often a blank in the access key has cut it off.
Error no_pair(std::string_view part, std::string_view text) {
  return incomplete(join("'", printable(part),
                         "' not a valid key=value pair (missing equal-sign) in Authorization "
                         "header: '",
                         printable(text), "'."));
}

// Where a part of the header ends. find_first_of() would make a call for each character.
std::size_t part_bytes(std::string_view text) {
  const auto ends = [](char c) { return c == ' ' || c == '\t' || c == ','; };
  return static_cast<std::size_t>(std::find_if(text.begin(), text.end(), ends) - text.begin());
}

// AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=… (blanks after commas are optional)
Result<Signature> read_header(const HttpRequest& request) {
  const std::string_view text = request.header(Header::Authorization);
  Signature signature;
  const std::size_t algorithm_end = part_bytes(text);
  signature.algorithm = text.substr(0, algorithm_end);
  std::string_view rest = text.substr(algorithm_end);
  while (!rest.empty()) {
    const std::size_t part_end = part_bytes(rest);
    const std::string_view part = rest.substr(0, part_end);
    rest.remove_prefix(std::min(part_end + 1, rest.size()));
    if (part.empty()) continue;
    if (part.find('=') == std::string_view::npos) return no_pair(part, text);
    std::string_view value = part;
    const std::string_view name = next_part(value, '=');
    if (name == "Credential") signature.credential = value;
    if (name == "SignedHeaders") signature.signed_headers = value;
    if (name == "Signature") signature.value = value;
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

// The value of a query parameter, or an empty optional.
std::optional<std::string_view> query_value(const HttpRequest& request, std::string_view name,
                                            Arena& arena) {
  std::optional<std::string_view> found;
  for_each_parameter(request.query(), [&](std::string_view sent, std::string_view value) {
    if (sent == name) found = arena.copy(percent_decoded(value));
    return !found;
  });
  return found;
}

Result<Signature> read_query(const HttpRequest& request, bool has_exact_span, Arena& arena) {
  Signature signature;
  signature.is_query = true;
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
  if (has_exact_span && expires_s > 0) signature.age_max_s = expires_s;
  return signature;
}

// --- Checks

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
    const std::string_view name = next_part(signed_headers, ';');
    if (equals_ignoring_case(name, "host") || name == access::kHttp2Host) return true;
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

// Accepts what looks like a real key and is short enough to store.
bool is_access_key(std::string_view text) {
  return !text.empty() && text.size() <= kAccessKeyCharsMax &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

// keyid/date/region/service/term
Result<SignatureClaim> check_credential(const Signature& signature, std::string_view iso_date,
                                        std::string_view expected_service) {
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
  if (service != expected_service) {
    wrong += join("Credential should be scoped to correct service: '", expected_service, "'. ");
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
  SignatureClaim claim;
  claim.access_key = access_key;
  claim.date = date;
  claim.region = region;
  claim.service = service;
  claim.time = iso_date;
  claim.signed_headers = signature.signed_headers;
  claim.signature = signature.value;
  claim.is_query = signature.is_query;
  return claim;
}

Result<SignatureClaim> check(const Signature& signature, const SignatureRules& rules,
                             Arena& arena) {
  const auto signed_s = parse_signature_date(signature.date);
  if (!signed_s) {
    return incomplete(join("Date must be in ISO-8601 'basic format'. Got '",
                           printable(signature.date),
                           "'. See http://en.wikipedia.org/wiki/ISO_8601"));
  }
  if (rules.now) STATOR_CHECK(check_age(signature, *signed_s, rules.now->unix_s()));
  if (!signs_host(signature.signed_headers)) {
    return invalid("'Host' must be a 'SignedHeader' in the AWS Authorization.");
  }
  if (signature.algorithm != kAlgorithm) {
    return incomplete(join("Unsupported AWS 'algorithm': '", printable(signature.algorithm),
                           "' (only AWS4-HMAC-SHA256 for now). "));
  }
  const bool is_iso = signature.date.size() == kIsoBasicChars;
  return check_credential(signature, is_iso ? signature.date : arena.copy(iso_basic(*signed_s)),
                          rules.service);
}

Result<SignatureClaim> read_signature(const HttpRequest& request, const SignatureRules& rules,
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
             is_query ? read_query(request, rules.has_exact_span, arena) : read_header(request));
  STATOR_TRY(SignatureClaim claim, check(signature, rules, arena));
  // The path is part of what is signed, and clients of these services sign "/".
  if (rules.service != kLambdaService && request.path() != "/") return wrong_signature();
  if (is_query) claim.token = query_value(request, "X-Amz-Security-Token", arena).value_or("");
  request.for_each_field([&](std::string_view name, std::string_view value) {
    if (!is_query && equals_ignoring_case(name, "x-amz-security-token")) claim.token = value;
  });
  return claim;
}

}  // namespace

std::string_view signed_service(const HttpRequest& request) {
  const bool is_kinesis = request.header(Header::XAmzTarget).starts_with(kKinesisTarget);
  return is_kinesis ? kKinesisService : kDynamoDbService;
}

Error wrong_signature(std::string_view more) {
  return invalid(
      join("The request signature we calculated does not match the signature you provided. Check "
           "your AWS Secret Access Key and signing method. Consult the service documentation for "
           "details.",
           more));
}

Result<Caller> authenticate(const HttpRequest& request, std::optional<Timestamp> now, Arena& arena,
                            std::string_view service) {
  SignatureRules rules;
  rules.now = now;
  rules.service = service.empty() ? signed_service(request) : service;
  STATOR_TRY(const SignatureClaim claim, read_signature(request, rules, arena));
  return Caller{claim.region, claim.access_key, /*host=*/{}};
}

Result<SignatureClaim> read_claim(const HttpRequest& request, std::string_view service,
                                  Timestamp now, Arena& arena) {
  return read_signature(request, {now, service, /*has_exact_span=*/true}, arena);
}

}  // namespace stator

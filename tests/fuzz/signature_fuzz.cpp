// Any text as the header Authorization ("h" before it) or as a presigned query ("q"): what is read
// of it is a claim of the right form, which the server accepts with the one right signature and
// with no other.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "protocol/memory/arena.h"
#include "server/access/access_control.h"
#include "server/dispatch/auth.h"

namespace {

using namespace stator;

constexpr std::string_view kSecret = "secret/of+the+fuzzer";
constexpr std::string_view kKey = "AKIADEV";
constexpr std::int64_t kNow_us = 1'767'225'600'000'000;  // 2026-01-01

void demand(bool holds) {
  if (!holds) std::abort();
}

// A server that knows one key.
struct Guard {
  Settings settings;
  SystemClock clock;  // nothing expires
  access::AccessControl access{{AuthMode::Signature, {}, false, settings, clock}, directory()};

  static access::Directory directory() {
    access::Directory known;
    known.keys.emplace(
        kKey, access::Credential{std::string(kSecret), {}, {}, access::root_of("000000000000")});
    return known;
  }
};

std::string request_text(bool is_query, std::string_view text) {
  std::string request(is_query ? "POST /?" : "POST / HTTP/1.1\r\nAuthorization: ");
  request.append(text);
  if (is_query) request.append(" HTTP/1.1");
  request.append("\r\nHost: localhost:8000\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\n");
  if (!is_query) request.append("X-Amz-Date: 20260101T000000Z\r\n");
  return request.append("Content-Length: 2\r\n\r\n{}");
}

// Whether the text is one complete request.
bool parse(HttpRequestParser& parser, std::string_view text) {
  while (!text.empty()) {
    const auto fed = parser.feed(text);
    text.remove_prefix(fed.consumed);
    if (fed.progress != HttpRequestParser::Progress::NeedMore)
      return fed.progress == HttpRequestParser::Progress::Complete;
  }
  return false;
}

void check_form(const access::SignatureClaim& claim) {
  demand(!claim.access_key.empty() && claim.access_key.size() <= 128);
  demand(!claim.region.empty() && claim.region.size() <= 64);
  demand(claim.service == kDynamoDbService);
  demand(claim.time.size() == 16 && claim.time.starts_with(claim.date));
  demand(!claim.signed_headers.empty() && !claim.signature.empty());
}

// What the server thinks of the claim with this signature, by a key that it knows.
bool is_accepted(Guard& guard, const HttpRequest& request, access::SignatureClaim claim,
                 std::string_view signature, std::string_view body_sha256) {
  claim.access_key = kKey;
  claim.token = {};
  claim.signature = signature;
  return guard.access.identify(request, claim, body_sha256).has_value();
}

void check_verification(Guard& guard, const HttpRequest& request,
                        const access::SignatureClaim& claim) {
  const std::string body_sha256 = access::sha256_hex(request.body());
  const access::SignedTexts texts = access::signed_texts(request, claim, body_sha256);
  demand(texts.canonical_request.starts_with("POST\n"));
  demand(texts.canonical_request.ends_with(body_sha256));
  const std::string key = access::signing_key(kSecret, {claim.date, claim.region, claim.service});
  std::string right = access::signature_of(key, texts.string_to_sign);
  demand(is_accepted(guard, request, claim, right, body_sha256));
  demand(is_accepted(guard, request, claim, claim.signature, body_sha256) ==
         (claim.signature == right));
  demand(!is_accepted(guard, request, claim, right, access::sha256_hex("{ }")));
  right.back() = right.back() == '0' ? '1' : '0';
  demand(!is_accepted(guard, request, claim, right, body_sha256));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Guard guard;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  HttpRequestParser parser(/*keeps_fields=*/true);
  if (!parse(parser, request_text(text.front() == 'q', text.substr(1)))) return 0;
  const HttpRequest& request = parser.request();
  Arena arena;
  const auto claim = read_claim(request, kDynamoDbService, Timestamp{kNow_us}, arena);
  if (!claim) {
    demand(!claim.error().message().empty());
    return 0;
  }
  check_form(*claim);
  if (claim->access_key != kKey) {
    const auto sender = guard.access.identify(request, *claim, access::sha256_hex(request.body()));
    demand(!sender && sender.error().fault == access::SignatureFault::UnknownKey);
  }
  check_verification(guard, request, *claim);
  return 0;
}

#include "server/access/signing/verification.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "protocol/text/ascii_case.h"
#include "server/access/signing/signing.h"
#include "server/http/header_text.h"
#include "server/http/query_text.h"
#include "server/http/request_kind.h"

namespace stator::access {

namespace {

// Trims, and makes each run of blanks one.
void append_value(std::string& out, std::string_view value) {
  value = trim_blanks(value);
  if (value.find('\t') == std::string_view::npos && value.find("  ") == std::string_view::npos) {
    out.append(value);
    return;
  }
  bool was_blank = false;
  for (const char c : value) {
    const bool is_blank = c == ' ' || c == '\t';
    if (!is_blank) out += c;
    if (is_blank && !was_blank) out += ' ';
    was_blank = is_blank;
  }
}

// "name:value\n". A name without a line in the request has an empty value.
void append_field(std::string& out, const HttpRequest& request, std::string_view name) {
  out.append(name).append(":");
  if (name == kHttp2Host) name = "host";
  bool is_first = true;
  request.for_each_field([&](std::string_view sent, std::string_view value) {
    if (sent.size() != name.size() || !equals_ignoring_case(sent, name)) return;
    if (!std::exchange(is_first, false)) out += ',';
    append_value(out, value);
  });
  out += '\n';
}

// The path as it was sent, without empty and dotted segments, each segment encoded once more.
std::string canonical_path(std::string_view path) {
  if (path == "/") return std::string(path);
  std::vector<std::string_view> segments;
  bool ends_open = true;
  for (std::string_view rest = path; !rest.empty();) {
    ends_open = rest.ends_with('/');
    const std::string_view segment = next_part(rest, '/');
    if (segment == ".." && !segments.empty()) segments.pop_back();
    if (!segment.empty() && segment != "." && segment != "..") segments.push_back(segment);
  }
  std::string text;
  for (const std::string_view segment : segments) text.append("/").append(percent_encoded(segment));
  if (ends_open || text.empty()) text += '/';
  return text;
}

// The query in the order of its encoded names and values, without its signature: the first one,
// which is the one that is compared.
std::string canonical_query(std::string_view query) {
  if (query.empty()) return {};
  std::vector<std::pair<std::string, std::string>> parameters;
  bool has_signature = false;
  for_each_parameter(query, [&](std::string_view name, std::string_view value) {
    if (name.empty() && value.empty()) return true;
    if (name == "X-Amz-Signature" && !std::exchange(has_signature, true)) return true;
    parameters.emplace_back(percent_encoded(percent_decoded(name)),
                            percent_encoded(percent_decoded(value)));
    return true;
  });
  std::sort(parameters.begin(), parameters.end());
  std::string text;
  for (const auto& [name, value] : parameters) {
    if (!text.empty()) text += '&';
    text.append(name).append("=").append(value);
  }
  return text;
}

// Whether the names are in lower case, in their order, each once. Clients send them like that.
bool is_normal_list(std::string_view list) {
  std::string_view last;
  while (!list.empty()) {
    const std::string_view name = next_part(list, ';');
    const bool has_capital =
        std::any_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (has_capital || name <= last) return false;
    last = name;
  }
  return true;
}

std::string normal_list(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) names.push_back(lower_case(next_part(list, ';')));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string normal;
  for (const std::string& name : names) normal.append(normal.empty() ? "" : ";").append(name);
  return normal;
}

SigningScope scope_of_claim(const SignatureClaim& claim) {
  return {claim.date, claim.region, claim.service};
}

}  // namespace

SignedTexts signed_texts(const HttpRequest& request, const SignatureClaim& claim,
                         std::string_view body_sha256) {
  std::string normal;
  std::string_view list = claim.signed_headers;
  if (!is_normal_list(list)) list = normal = normal_list(list);
  std::string lines;
  constexpr std::size_t kUsualBytes = 1'024;
  lines.reserve(kUsualBytes);
  for (std::string_view rest = list; !rest.empty();)
    append_field(lines, request, next_part(rest, ';'));
  const std::string path = canonical_path(request.path());
  const std::string query = canonical_query(request.query());
  SignedTexts texts;
  texts.canonical_request =
      canonical_request({method_name(request.method()), path, query, lines, list, body_sha256});
  texts.string_to_sign =
      string_to_sign(claim.time, scope_text(scope_of_claim(claim)), texts.canonical_request);
  return texts;
}

std::string SigningKeys::key_for(const SignatureClaim& claim, std::string_view secret) {
  const NameView name{claim.access_key, claim.date, claim.region, claim.service, secret};
  const std::scoped_lock lock(mutex_);
  if (const auto known = keys_.find(name); known != keys_.end()) return known->second;
  if (keys_.size() >= kKeysMax) keys_.clear();
  Name own;
  std::copy(name.begin(), name.end(), own.begin());
  return keys_.emplace(std::move(own), signing_key(secret, scope_of_claim(claim))).first->second;
}

}  // namespace stator::access

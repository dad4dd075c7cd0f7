#include "server/console/console.h"

#include <algorithm>

#include "server/http/compression.h"
#include "server/http/header_text.h"
#include "server/http/request_kind.h"

namespace stator {

namespace {

constexpr std::string_view kPrefix = "/_stator/console";
constexpr std::string_view kText = "text/plain; charset=utf-8";
constexpr std::string_view kOff = "The console is off: --console off\n";
constexpr std::string_view kNotBuilt =
    "This program was built without the console. CONTRIBUTING.md says how to build it.\n";
constexpr std::string_view kNoFile = "The console has no such file.\n";
constexpr std::string_view kGetOnly = "The console's files take GET and HEAD.\n";

Answer refusal(std::uint16_t status, std::string_view why) {
  return {.status = status, .content_type = kText, .body = why};
}

// Answers in gzip always have the same bytes. Others may get another coding on their way out.
std::string headers_of(const ConsoleFile& file, bool is_gzip) {
  std::string headers = is_gzip ? "ETag: \"" : "ETag: W/\"";
  headers.append(file.sum).append("\"\r\nCache-Control: ");
  headers.append(file.is_hashed ? "public, max-age=31536000, immutable" : "no-cache");
  headers.append("\r\nVary: Accept-Encoding\r\n");
  return headers;
}

// Whether If-None-Match names the file's content, in whatever coding (RFC 9110, 13.1.2).
bool is_known(const HttpRequest& request, std::string_view sum) {
  std::string_view list = request.header(Header::IfNoneMatch);
  if (list == "*") return true;
  while (!list.empty()) {
    std::string_view tag = trim_blanks(next_part(list, ','));
    if (tag.starts_with("W/")) tag.remove_prefix(2);
    if (tag.size() == sum.size() + 2 && tag.front() == '"' && tag.back() == '"' &&
        tag.substr(1, sum.size()) == sum)
      return true;
  }
  return false;
}

// Whether a path can only mean a file. All others are pages of index.html, which reads the path
// itself; names of tables and marks in it may have dots.
bool is_file_name(std::string_view name) {
  if (name.starts_with("assets/")) return true;
  return name.find('/') == std::string_view::npos && name.find('.') != std::string_view::npos;
}

}  // namespace

Console::Console(std::span<const ConsoleFile> files, bool is_on) : is_on_(is_on) {
  entries_.reserve(files.size());
  for (const ConsoleFile& file : files)
    entries_.push_back({file, headers_of(file, true), headers_of(file, false)});
}

const Console::Entry* Console::find(std::string_view name) const {
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), name,
      [](const Entry& entry, std::string_view wanted) { return entry.file.name < wanted; });
  return found != entries_.end() && found->file.name == name ? &*found : nullptr;
}

Answer Console::answer(const HttpRequest& request, std::string& unpacked) const {
  if (!is_get(request)) {
    Answer answer = refusal(405, kGetOnly);
    answer.allow = "GET, HEAD";
    return answer;
  }
  if (!is_on_) return refusal(404, kOff);
  if (entries_.empty()) return refusal(404, kNotBuilt);
  if (request.path() == kPrefix) {
    return {.status = 302, .more_headers = "Location: console/\r\nCache-Control: no-store\r\n"};
  }
  const std::string_view name = request.path().substr(kPrefix.size() + 1);
  const Entry* entry = find(name);
  if (entry == nullptr && is_file_name(name)) return refusal(404, kNoFile);
  if (entry == nullptr) entry = find("index.html");
  if (entry == nullptr) return refusal(404, kNoFile);

  const ConsoleFile& file = entry->file;
  const bool is_gzip = negotiate_encoding(request.header(Header::AcceptEncoding)) == Encoding::Gzip;
  const std::string_view headers = is_gzip ? entry->gzip_headers : entry->plain_headers;
  if (is_known(request, file.sum)) return {.status = 304, .more_headers = headers};
  if (!is_gzip) inflate_body(file.gzip, Encoding::Gzip, file.size_bytes, unpacked);
  return {.content_type = file.content_type,
          .body = is_gzip ? file.gzip : std::string_view(unpacked),
          .more_headers = headers,
          .is_gzip = is_gzip,
          .body_stays = true};
}

Answer answer_to_page_visit() {
  return {
      .status = 302,
      .more_headers = "Location: _stator/console/\r\nCache-Control: no-store\r\nVary: Accept\r\n"};
}

}  // namespace stator

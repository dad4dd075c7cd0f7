#include "server/http2/request_head.h"

#include "protocol/service/limits.h"

namespace stator::http2 {

namespace {

// The parser rejects what is longer than the limit with a readable answer. What is far longer does
// not get there.
constexpr std::size_t kBytesMax = limits::kRequestHeaderBytesMax + limits::kRequestLineBytesMax;

// A client may name its host twice, but not two of them.
bool take_host(std::string& host, std::string_view value) {
  if (host.empty()) host = value;
  return host == value;
}

}  // namespace

bool RequestHead::add(std::string_view name, std::string_view value) {
  const std::size_t taken = method_.size() + path_.size() + host_.size() + lines_.size();
  if (taken + name.size() + value.size() > kBytesMax) return false;
  if (name == ":method") {
    method_ = value;
  } else if (name == ":path") {
    path_ = value;
    return path_.starts_with('/') || path_ == "*";
  } else if (name == ":authority" || name == "host") {
    return take_host(host_, value);
  } else if (!name.starts_with(':')) {
    has_length_ = has_length_ || name == "content-length";
    lines_.append(name).append(": ").append(value).append("\r\n");
  }
  return true;
}

// The session serves one request for each stream, as on a connection that ends after it.
std::string RequestHead::text(bool has_body) const {
  if (method_.empty() || path_.empty()) return {};
  std::string text = method_ + " " + path_ + " HTTP/1.1\r\n";
  if (!host_.empty()) text.append("host: ").append(host_).append("\r\n");
  text.append(lines_).append("connection: close\r\n");
  if (has_body && is_in_chunks()) text.append("transfer-encoding: chunked\r\n");
  return text.append("\r\n");
}

}  // namespace stator::http2

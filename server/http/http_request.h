// HttpRequest: the parts of an HTTP/1.1 request that the server uses, and their parser.
//
// The parser uses Beast's basic_parser and stores only the headers of enum Header and the body. It
// is synchronous and takes pieces of any size. All requests of a connection use it in turn; between
// them it retains little memory. It skips trailers, except those of the Runtime API.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stator {

enum class Method : std::uint8_t { Get, Head, Options, Post, Put, Delete, Other };

// The stored headers. If a header is repeated, the first line counts.
enum class Header : std::uint8_t {
  Accept,
  AmzSdkRequest,
  AcceptEncoding,
  AccessControlRequestHeaders,
  AccessControlRequestMethod,
  Authorization,
  ContentEncoding,
  ContentType,
  Date,
  Expect,
  Host,
  IfNoneMatch,
  LambdaRuntimeFunctionErrorType,
  LambdaRuntimeFunctionResponseMode,
  McpMethod,
  McpName,
  McpProtocolVersion,
  Origin,
  UserAgent,
  XAmzClientContext,
  XAmzDate,
  XAmzInvocationType,
  XAmzLogType,
  XAmzTarget,
  XStatorConsole,
  XStatorDryRun,
  XStatorExplain,
  XStatorFault,
  XStatorLog,
  XStatorToken,
};
inline constexpr std::size_t kHeaderCount = 30;

class HttpRequest {
 public:
  Method method() const { return method_; }
  // Path and query as sent, without scheme and host.
  std::string_view target() const { return view(target_); }
  std::string_view path() const { return target().substr(0, path_bytes_); }
  // The text after the question mark; empty if there is none.
  std::string_view query() const;

  bool has(Header header) const { return slice(header).present; }
  // Without surrounding blanks; empty if absent.
  std::string_view header(Header header) const { return view(slice(header)); }
  // Whether the request has several Content-Encoding lines, which the server does not support.
  bool has_repeated_encoding() const { return has_repeated_encoding_; }
  // Whether the User-Agent is one of Stator's own tools (server/http/own_tools.h).
  bool is_of_own_tool() const;
  // Whether any header is the service's own: its name begins with X-Amz-.
  bool has_amz_header() const { return has_amz_header_; }

  // Calls `visit(name, value)` for each header line as sent, in order. There are none unless the
  // parser was asked to keep them.
  template <class Visit>
  void for_each_field(const Visit& visit) const {
    for (const auto& [name, value] : fields_) visit(view(name), view(value));
  }

  // The value of a line of the trailer, without surrounding blanks; empty if absent. `name` is in
  // lower case. Only requests to the Runtime API have a trailer.
  std::string_view trailer(std::string_view name) const;

  // Where the request comes from. Stays the same for all requests of a parser.
  struct Origin {
    std::string address = {};  // of the client, as text; empty: not known
    bool is_loopback = false;
    bool is_tls = false;
  };
  // The number of its connection, from 1; 0: not known. Stays the same, too.
  std::uint64_t connection() const { return connection_; }
  void set_connection(std::uint64_t number) { connection_ = number; }

  const Origin& origin() const { return origin_; }
  void set_origin(Origin origin) { origin_ = std::move(origin); }

  // The dispatcher may change it.
  std::string& body() { return body_; }
  const std::string& body() const { return body_; }

  // Allocated memory, used or not.
  std::size_t capacity_bytes() const {
    return text_.capacity() + body_.capacity() + trailers_.capacity() +
           fields_.capacity() * sizeof(fields_[0]);
  }

  bool keeps_alive() const { return keeps_alive_; }
  bool is_http_1_0() const { return is_http_1_0_; }

 private:
  friend class HttpRequestParser;

  // A part of text_, which may reallocate.
  struct Slice {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    bool present = false;
  };

  const Slice& slice(Header header) const { return headers_[static_cast<std::size_t>(header)]; }
  std::string_view view(const Slice& slice) const {
    return std::string_view{text_}.substr(slice.offset, slice.size);
  }
  void set_target(const Slice& target);
  void reset();

  std::string text_;  // the target and header values, concatenated
  std::string body_;
  std::string trailers_;  // lines, each with an LF
  Slice target_;
  std::size_t path_bytes_ = 0;
  std::array<Slice, kHeaderCount> headers_;
  std::vector<std::pair<Slice, Slice>> fields_;  // names and values
  Origin origin_;
  std::uint64_t connection_ = 0;
  Method method_ = Method::Other;
  bool has_repeated_encoding_ = false;
  bool has_amz_header_ = false;
  bool keeps_alive_ = false;
  bool is_http_1_0_ = false;
};

class HttpRequestParser {
 public:
  enum class Progress : std::uint8_t {
    NeedMore,      // pass the unconsumed bytes again, with more after them
    Complete,      // request() is complete; unconsumed bytes belong to the next one
    Malformed,     // 400
    BodyTooLarge,  // 413
  };

  // `keeps_fields`: requests also have all their header lines, for signatures. So do those that
  // arrive while `keeps_while`, which outlives this, is true; nullptr: none.
  explicit HttpRequestParser(bool keeps_fields = false,
                             const std::atomic<bool>* keeps_while = nullptr);
  ~HttpRequestParser();
  HttpRequestParser(const HttpRequestParser&) = delete;
  HttpRequestParser& operator=(const HttpRequestParser&) = delete;

  // Consumes what it can of `bytes`. REQUIRES: the last result was NeedMore, or reset() was called
  // since.
  struct FeedResult {
    std::size_t consumed;
    Progress progress;
  };
  FeedResult feed(std::string_view bytes);

  // Whether the client waits for `100 Continue` before it sends the body.
  bool expects_continue() const;

  HttpRequest& request() { return request_; }

  // Prepares for the next request. Invalidates views of request().
  void reset();

 private:
  class Impl;

  HttpRequest request_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stator

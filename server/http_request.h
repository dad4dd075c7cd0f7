// HttpRequest: one HTTP/1.1 request as far as this server cares, and the parser that fills it.
//
// The parser sits on Beast's basic_parser and keeps only the headers of enum Header and the body.
// It is synchronous, takes bytes in pieces of any size and is used again for every request of a
// connection, keeping little memory in between. Trailers are read and dropped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace stator {

enum class Method : std::uint8_t { Get, Head, Options, Post, Other };

// The headers kept. Of a repeated header the first line counts.
enum class Header : std::uint8_t {
  AcceptEncoding,
  AccessControlRequestHeaders,
  AccessControlRequestMethod,
  Authorization,
  ContentEncoding,
  ContentType,
  Date,
  Expect,
  Host,
  Origin,
  XAmzDate,
  XAmzTarget,
  XStatorExplain,
};
inline constexpr std::size_t kHeaderCount = 13;

class HttpRequest {
 public:
  Method method() const { return method_; }
  // As sent: path and query.
  std::string_view target() const { return view(target_); }
  std::string_view path() const { return target().substr(0, target().find('?')); }
  // Behind the question mark; empty when there is none.
  std::string_view query() const;

  bool has(Header header) const { return slice(header).present; }
  // Without blanks around; empty when absent.
  std::string_view header(Header header) const { return view(slice(header)); }
  // Whether the request came with several Content-Encoding lines, which nobody here unpacks.
  bool has_repeated_encoding() const { return has_repeated_encoding_; }

  // May be changed by whoever handles the request.
  std::string& body() { return body_; }
  const std::string& body() const { return body_; }

  // Memory held, used or not.
  std::size_t capacity_bytes() const { return text_.capacity() + body_.capacity(); }

  bool keeps_alive() const { return keeps_alive_; }
  bool is_http_1_0() const { return is_http_1_0_; }

 private:
  friend class HttpRequestParser;

  // A piece of text_, which may move while it grows.
  struct Slice {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    bool present = false;
  };

  const Slice& slice(Header header) const { return headers_[static_cast<std::size_t>(header)]; }
  std::string_view view(const Slice& slice) const {
    return std::string_view{text_}.substr(slice.offset, slice.size);
  }
  void reset();

  std::string text_;  // the target and header values, one behind the other
  std::string body_;
  Slice target_;
  std::array<Slice, kHeaderCount> headers_;
  Method method_ = Method::Other;
  bool has_repeated_encoding_ = false;
  bool keeps_alive_ = false;
  bool is_http_1_0_ = false;
};

class HttpRequestParser {
 public:
  enum class Progress : std::uint8_t {
    NeedMore,      // give the unconsumed bytes again, with more behind them
    Complete,      // request() is there; unconsumed bytes belong to the next one
    Malformed,     // 400
    BodyTooLarge,  // 413
  };

  HttpRequestParser();
  ~HttpRequestParser();
  HttpRequestParser(const HttpRequestParser&) = delete;
  HttpRequestParser& operator=(const HttpRequestParser&) = delete;

  // Takes what it can of `bytes`. REQUIRES: the last answer was NeedMore, or reset() since.
  struct Fed {
    std::size_t consumed;
    Progress progress;
  };
  Fed feed(std::string_view bytes);

  // The client sent its header and holds the body back until it is told to go on.
  bool expects_continue() const;

  HttpRequest& request() { return request_; }

  // Ready for the next request. Views into request() end.
  void reset();

 private:
  class Impl;

  HttpRequest request_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stator

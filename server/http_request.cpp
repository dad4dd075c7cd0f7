// See http_request.h. Beast parses the header; the body is taken here, because its parser (1.81)
// asserts on an empty chunked body that arrives in pieces. It also limits a line, not the header as
// a whole when it arrives in pieces, so the sums are kept here.

#include "server/http_request.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "protocol/json_reader.h"
#include "protocol/limits.h"
#include "server/chunk_decoder.h"
#include "server/header_text.h"

namespace stator {

namespace {

namespace http = boost::beast::http;
using BeastView = boost::beast::string_view;

// A text or body buffer that grew beyond this is given back between requests.
constexpr std::size_t kTextBytesKept = 4 * 1024;
constexpr std::size_t kBodyBytesKept = 64 * 1024;
// Most that is set aside on the word of a Content-Length.
constexpr std::size_t kBodyBytesTrusted = 64 * 1024;
// One line and the rest of a header in one piece, with their line ends.
constexpr std::uint32_t kParserWindowBytes = limits::kRequestHeaderBytesMax + 1024;

constexpr std::size_t kLineOverheadBytes = 4;                 // ": " and CRLF
constexpr std::size_t kRequestLineOverheadBytes = 2 + 8 + 2;  // blanks, HTTP/1.1, CRLF

// Those of the kept headers that Beast does not know.
struct NamedHeader {
  std::string_view name;  // lower case
  Header header;
};
constexpr std::array<NamedHeader, 3> kOwnHeaders{{
    {"x-amz-date", Header::XAmzDate},
    {"x-amz-target", Header::XAmzTarget},
    {"x-stator-explain", Header::XStatorExplain},
}};

std::optional<Header> find_own_header(std::string_view name) {
  for (const auto& [known, header] : kOwnHeaders) {
    if (equals_ignoring_case(name, known)) return header;
  }
  return std::nullopt;
}

// Beast has looked the name up already.
std::optional<Header> find_header(http::field field, std::string_view name) {
  switch (field) {
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
    case http::field::origin:
      return Header::Origin;
    case http::field::unknown:
      return find_own_header(name);
    default:
      return std::nullopt;
  }
}

Method method_of(http::verb verb) {
  switch (verb) {
    case http::verb::get:
      return Method::Get;
    case http::verb::head:
      return Method::Head;
    case http::verb::options:
      return Method::Options;
    case http::verb::post:
      return Method::Post;
    default:
      return Method::Other;
  }
}

std::string_view std_view(BeastView text) { return {text.data(), text.size()}; }

void release_above(std::string& text, std::size_t bytes_kept) {
  if (text.capacity() > bytes_kept) {
    std::string{}.swap(text);
  } else {
    text.clear();
  }
}

}  // namespace

std::string_view HttpRequest::query() const {
  const std::size_t mark = target().find('?');
  return mark == std::string_view::npos ? std::string_view{} : target().substr(mark + 1);
}

void HttpRequest::reset() {
  release_above(text_, kTextBytesKept);
  release_above(body_, kBodyBytesKept);
  target_ = {};
  headers_ = {};
  method_ = Method::Other;
  has_repeated_encoding_ = false;
  keeps_alive_ = false;
  is_http_1_0_ = false;
}

class HttpRequestParser::Impl final {
 public:
  explicit Impl(HttpRequest& request) : request_(request) { start(); }

  void start() {
    parser_.emplace(request_);
    parser_->header_limit(kParserWindowBytes);
    parser_->body_limit(limits::kRequestBodyBytesMax);
    parser_->eager(false);
    chunks_.reset();
    body_bytes_left_ = 0;
  }

  Fed feed(std::string_view bytes) {
    std::size_t consumed = 0;
    if (!parser_->is_header_done()) {
      const Fed header = feed_header(bytes);
      if (header.progress != Progress::NeedMore || !parser_->is_header_done()) return header;
      consumed = header.consumed;
    }
    const Fed body = feed_body(bytes.substr(consumed));
    return {consumed + body.consumed, body.progress};
  }

  bool expects_continue() const {
    return parser_->is_header_done() && (chunks_ || body_bytes_left_ > 0) &&
           request_.body_.empty() && !request_.is_http_1_0_ &&
           equals_ignoring_case(request_.header(Header::Expect), "100-continue");
  }

 private:
  Fed feed_header(std::string_view bytes) {
    // Empty lines before a request are to be ignored (RFC 9112, 2.2).
    std::size_t blank = 0;
    if (!parser_->got_some()) {
      while (bytes.substr(blank).starts_with("\r\n")) blank += 2;
      if (bytes.substr(blank) == "\r") return {blank, Progress::NeedMore};
    }
    boost::beast::error_code error;
    bytes.remove_prefix(blank);
    const std::size_t consumed = blank + parser_->put_header(bytes, error);
    if (error == http::error::body_limit) return {consumed, Progress::BodyTooLarge};
    if (error && error != http::error::need_more) return {consumed, Progress::Malformed};
    if (!parser_->is_header_done()) return {consumed, Progress::NeedMore};
    if (parser_->is_done()) return {consumed, Progress::Complete};
    if (parser_->chunked()) {
      chunks_.emplace(limits::kRequestBodyBytesMax, limits::kRequestHeaderBytesMax);
    } else {
      body_bytes_left_ = static_cast<std::size_t>(*parser_->content_length());
      request_.body_.reserve(std::min(body_bytes_left_, kBodyBytesTrusted));
    }
    return {consumed, Progress::NeedMore};
  }

  Fed feed_body(std::string_view bytes) {
    if (!chunks_) {
      const std::size_t count = std::min(body_bytes_left_, bytes.size());
      request_.body_.append(bytes.substr(0, count));
      body_bytes_left_ -= count;
      return {count, body_bytes_left_ == 0 ? Progress::Complete : Progress::NeedMore};
    }
    const auto [consumed, progress] = chunks_->feed(bytes, request_.body_);
    switch (progress) {
      case ChunkDecoder::Progress::NeedMore:
        return {consumed, Progress::NeedMore};
      case ChunkDecoder::Progress::Complete:
        return {consumed, Progress::Complete};
      case ChunkDecoder::Progress::Malformed:
        return {consumed, Progress::Malformed};
      case ChunkDecoder::Progress::TooLarge:
        return {consumed, Progress::BodyTooLarge};
    }
    return {consumed, Progress::Malformed};
  }

  using Error = boost::beast::error_code;

  // Beast's parser with our storage.
  class Parser final : public http::basic_parser<true> {
   public:
    explicit Parser(HttpRequest& request) : request_(request) {}

    std::size_t put_header(std::string_view bytes, Error& error) {
      fed_ = bytes;
      return put({bytes.data(), bytes.size()}, error);
    }

   private:
    HttpRequest::Slice append(BeastView value) {
      const auto offset = static_cast<std::uint32_t>(request_.text_.size());
      request_.text_.append(value.data(), value.size());
      return {offset, static_cast<std::uint32_t>(value.size()), /*present=*/true};
    }

    void on_request_impl(http::verb verb, BeastView method, BeastView target, int version,
                         Error& error) override {
      if (method.size() + target.size() + kRequestLineOverheadBytes >
          limits::kRequestLineBytesMax) {
        error = http::error::header_limit;
        return;
      }
      request_.method_ = method_of(verb);
      request_.target_ = append(target);
      request_.is_http_1_0_ = version == 10;
    }

    void on_response_impl(int, BeastView, int, Error&) override {}

    void on_field_impl(http::field field, BeastView name, BeastView value, Error& error) override {
      header_bytes_ += name.size() + value.size() + kLineOverheadBytes;
      if (header_bytes_ > limits::kRequestHeaderBytesMax) {
        error = http::error::header_limit;
        return;
      }
      if (is_folded(std_view(name), std_view(value))) {
        error = http::error::bad_value;
        return;
      }
      // The only coding whose end can be told is a lone `chunked`, which HTTP/1.0 does not have.
      if (field == http::field::transfer_encoding &&
          !(chunked() && equals_ignoring_case(std_view(value), "chunked") &&
            !request_.is_http_1_0_)) {
        error = http::error::bad_transfer_encoding;
        return;
      }
      if (field == http::field::content_length && std::exchange(has_content_length_, true)) {
        error = http::error::multiple_content_length;
        return;
      }
      if (field == http::field::host && request_.has(Header::Host)) {
        error = http::error::bad_field;
        return;
      }
      const auto header = find_header(field, std_view(name));
      if (!header) return;
      auto& slot = request_.headers_[static_cast<std::size_t>(*header)];
      if (!slot.present) {
        slot = append(value);
      } else if (*header == Header::ContentEncoding) {
        request_.has_repeated_encoding_ = true;
      }
    }

    void on_header_impl(Error& error) override {
      if (!request_.is_http_1_0_ && !request_.has(Header::Host)) error = http::error::bad_field;
      request_.keeps_alive_ = keep_alive();
    }

    // Not reached: the parser is not fed behind the header.
    void on_body_init_impl(const boost::optional<std::uint64_t>&, Error&) override {}
    std::size_t on_body_impl(BeastView piece, Error&) override { return piece.size(); }
    void on_chunk_header_impl(std::uint64_t, BeastView, Error&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, BeastView piece, Error&) override {
      return piece.size();
    }
    void on_finish_impl(Error&) override {}

    // Whether a field goes on in the next line (obs-fold): Beast puts such a value together
    // elsewhere, unless there is nothing of it in the first line.
    bool is_folded(std::string_view name, std::string_view value) const {
      const std::less_equal<const char*> not_behind;
      const char* const name_end = name.data() + name.size();
      if (!not_behind(name_end, value.data()) ||
          !not_behind(value.data(), fed_.data() + fed_.size())) {
        return true;
      }
      const auto gap_bytes = static_cast<std::size_t>(value.data() - name_end);
      return std::string_view(name_end, gap_bytes).find('\n') != std::string_view::npos;
    }

    HttpRequest& request_;
    std::string_view fed_;
    std::size_t header_bytes_ = 0;
    bool has_content_length_ = false;
  };

  HttpRequest& request_;
  std::optional<Parser> parser_;
  std::optional<ChunkDecoder> chunks_;
  std::size_t body_bytes_left_ = 0;
};

HttpRequestParser::HttpRequestParser() : impl_(std::make_unique<Impl>(request_)) {}
HttpRequestParser::~HttpRequestParser() = default;

HttpRequestParser::Fed HttpRequestParser::feed(std::string_view bytes) {
  return impl_->feed(bytes);
}

bool HttpRequestParser::expects_continue() const { return impl_->expects_continue(); }

void HttpRequestParser::reset() {
  request_.reset();
  impl_->start();
}

}  // namespace stator

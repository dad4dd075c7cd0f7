// See http_request.h. Beast parses the header. The body is read here, because Beast's parser (1.81)
// asserts on an empty chunked body that arrives in pieces. Beast also limits single lines but not a
// header that arrives in pieces, so the total is counted here.

#include "server/http/http_request.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "protocol/json/json_reader.h"
#include "protocol/service/limits.h"
#include "server/http/chunk_decoder.h"
#include "server/http/header_names.h"
#include "server/http/header_text.h"
#include "server/http/own_tools.h"
#include "server/http/request_kind.h"
#include "server/http/runtime_head.h"

namespace stator {

namespace {

namespace http = boost::beast::http;
using BeastView = boost::beast::string_view;

// A text or body buffer above this size is freed between requests.
constexpr std::size_t kTextBytesKept = 4 * 1024;
constexpr std::size_t kBodyBytesKept = 64 * 1024;
constexpr std::size_t kFieldsKept = 64;
// Maximum allocation for an announced Content-Length.
constexpr std::size_t kBodyBytesTrusted = 64 * 1024;
// One line and the rest of a header in one piece, with line ends.
constexpr std::uint32_t kParserWindowBytes = limits::kRequestHeaderBytesMax + 1024;

// Of the Runtime API, where it may hold the description of an error.
constexpr std::size_t kTrailerBytesMax = std::size_t{1} << 20;

constexpr std::size_t kLineOverheadBytes = 4;                 // ": " and CRLF
constexpr std::size_t kRequestLineOverheadBytes = 2 + 8 + 2;  // blanks, HTTP/1.1, CRLF

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
    case http::verb::put:
      return Method::Put;
    case http::verb::delete_:
      return Method::Delete;
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
  return target().substr(std::min(path_bytes_ + 1, target().size()));
}

void HttpRequest::set_target(const Slice& target) {
  target_ = target;
  path_bytes_ = std::min(view(target).find('?'), std::size_t{target.size});
}

std::string_view HttpRequest::trailer(std::string_view name) const {
  std::string_view rest = trailers_;
  while (!rest.empty()) {
    std::string_view line = next_part(rest, '\n');
    if (equals_ignoring_case(next_part(line, ':'), name)) return trim_blanks(line);
  }
  return {};
}

bool HttpRequest::is_of_own_tool() const { return own_tools::is_one(header(Header::UserAgent)); }

void HttpRequest::reset() {
  release_above(text_, kTextBytesKept);
  release_above(body_, kBodyBytesKept);
  release_above(trailers_, 0);
  set_target({});
  headers_ = {};
  if (fields_.capacity() > kFieldsKept) std::vector<std::pair<Slice, Slice>>{}.swap(fields_);
  fields_.clear();
  method_ = Method::Other;
  has_repeated_encoding_ = false;
  has_amz_header_ = false;
  keeps_alive_ = false;
  is_http_1_0_ = false;
}

class HttpRequestParser::Impl final {
 public:
  Impl(HttpRequest& request, bool keeps_fields, const std::atomic<bool>* keeps_while)
      : request_(request), keeps_fields_(keeps_fields), keeps_while_(keeps_while) {
    start();
  }

  void start() {
    parser_.emplace(request_);
    parser_->header_limit(kParserWindowBytes);
    parser_->body_limit(limits::kRequestBodyBytesMax);
    parser_->eager(false);
    chunks_.reset();
    runtime_head_.reset();
    body_bytes_left_ = 0;
  }

  FeedResult feed(std::string_view bytes) {
    std::size_t consumed = 0;
    if (!parser_->is_header_done()) {
      const FeedResult header = feed_header(bytes);
      if (header.progress != Progress::NeedMore || !parser_->is_header_done()) return header;
      consumed = header.consumed;
    }
    const FeedResult body = feed_body(bytes.substr(consumed));
    return {consumed + body.consumed, body.progress};
  }

  bool expects_continue() const {
    return parser_->is_header_done() && (chunks_ || body_bytes_left_ > 0) &&
           request_.body_.empty() && !request_.is_http_1_0_ &&
           equals_ignoring_case(request_.header(Header::Expect), "100-continue");
  }

 private:
  FeedResult feed_header(std::string_view bytes) {
    // Skips empty lines before a request (RFC 9112, 2.2).
    std::size_t blank = 0;
    if (!parser_->got_some() && !runtime_head_) {
      while (bytes.substr(blank).starts_with("\r\n")) blank += 2;
      if (bytes.substr(blank) == "\r") return {blank, Progress::NeedMore};
    }
    bytes.remove_prefix(blank);
    if (!runtime_head_ && !parser_->got_some()) {
      const auto start = RuntimeHead::start_of(bytes);
      if (start == RuntimeHead::Start::TooShortToTell) return {blank, Progress::NeedMore};
      if (start == RuntimeHead::Start::Yes) runtime_head_.emplace(kParserWindowBytes);
    }
    if (!runtime_head_) return put_header(bytes, blank);
    const auto [read, progress] = runtime_head_->feed(bytes);
    if (progress == RuntimeHead::Progress::NeedMore) return {blank + read, Progress::NeedMore};
    if (progress == RuntimeHead::Progress::TooLong) return {blank + read, Progress::Malformed};
    const auto parsed = put_header(runtime_head_->text(), 0);
    const bool is_whole = parsed.consumed == runtime_head_->text().size();
    return {blank + read, is_whole ? parsed.progress : Progress::Malformed};
  }

  // `blank` is added to what is consumed.
  FeedResult put_header(std::string_view bytes, std::size_t blank) {
    boost::beast::error_code error;
    const bool keeps_fields =
        keeps_fields_ || (keeps_while_ != nullptr && keeps_while_->load(std::memory_order_relaxed));
    const std::size_t consumed = blank + parser_->put_header(bytes, keeps_fields, error);
    if (error == http::error::body_limit) return {consumed, Progress::BodyTooLarge};
    if (error && error != http::error::need_more) return {consumed, Progress::Malformed};
    if (!parser_->is_header_done()) return {consumed, Progress::NeedMore};
    if (parser_->is_done()) return {consumed, Progress::Complete};
    if (parser_->chunked()) {
      const bool has_trailer = is_runtime_request(request_);
      chunks_.emplace(limits::kRequestBodyBytesMax,
                      has_trailer ? kTrailerBytesMax : limits::kRequestHeaderBytesMax,
                      has_trailer ? &request_.trailers_ : nullptr);
    } else {
      body_bytes_left_ = static_cast<std::size_t>(*parser_->content_length());
      request_.body_.reserve(std::min(body_bytes_left_, kBodyBytesTrusted));
    }
    return {consumed, Progress::NeedMore};
  }

  FeedResult feed_body(std::string_view bytes) {
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

  // Beast's parser, with storage in HttpRequest.
  class Parser final : public http::basic_parser<true> {
   public:
    explicit Parser(HttpRequest& request) : request_(request) {}

    std::size_t put_header(std::string_view bytes, bool keeps_fields, Error& error) {
      keeps_fields_ = keeps_fields;
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
      request_.set_target(append(target));
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
      // A body ends clearly only with a lone `chunked`, which HTTP/1.0 does not have.
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
      if (field == http::field::unknown && is_amz_name(std_view(name)))
        request_.has_amz_header_ = true;
      if (keeps_fields_) request_.fields_.emplace_back(append(name), append(value));
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
      if (!take_absolute_target()) error = http::error::bad_target;
      request_.keeps_alive_ = keep_alive();
    }

    // Accepts "http://HOST:PORT/PATH", which clients of a proxy send. Its host replaces the Host
    // header (RFC 9112, 3.2.2). Returns false if it names no host.
    bool take_absolute_target() {
      const std::string_view target = request_.target();
      std::size_t begin = 0;
      for (const std::string_view scheme : {"http://", "https://"}) {
        if (equals_ignoring_case(target.substr(0, scheme.size()), scheme)) begin = scheme.size();
      }
      if (begin == 0) return true;
      const std::size_t end = std::min(target.find_first_of("/?#", begin), target.size());
      const std::string_view authority = target.substr(begin, end - begin);
      if (authority.empty() || authority.find('@') != std::string_view::npos) return false;
      request_.headers_[static_cast<std::size_t>(Header::Host)] =
          part_of(request_.target_, begin, authority.size());
      if (target.substr(end).starts_with('/')) {
        request_.set_target(part_of(request_.target_, end, target.size() - end));
      } else {
        const std::string path = "/" + std::string(target.substr(end));
        request_.set_target(append({path.data(), path.size()}));
      }
      return true;
    }

    static HttpRequest::Slice part_of(const HttpRequest::Slice& whole, std::size_t begin,
                                      std::size_t size) {
      return {whole.offset + static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(size),
              /*present=*/true};
    }

    // Never called: the parser gets nothing after the header.
    void on_body_init_impl(const boost::optional<std::uint64_t>&, Error&) override {}
    std::size_t on_body_impl(BeastView piece, Error&) override { return piece.size(); }
    void on_chunk_header_impl(std::uint64_t, BeastView, Error&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, BeastView piece, Error&) override {
      return piece.size();
    }
    void on_finish_impl(Error&) override {}

    // Whether a field continues on the next line (obs-fold). Beast joins such a value in a buffer
    // of its own, unless its first line is empty.
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
    bool keeps_fields_ = false;
    std::string_view fed_;
    std::size_t header_bytes_ = 0;
    bool has_content_length_ = false;
  };

  HttpRequest& request_;
  const bool keeps_fields_;
  const std::atomic<bool>* const keeps_while_;
  std::optional<Parser> parser_;
  std::optional<ChunkDecoder> chunks_;
  std::optional<RuntimeHead> runtime_head_;
  std::size_t body_bytes_left_ = 0;
};

HttpRequestParser::HttpRequestParser(bool keeps_fields, const std::atomic<bool>* keeps_while)
    : impl_(std::make_unique<Impl>(request_, keeps_fields, keeps_while)) {}
HttpRequestParser::~HttpRequestParser() = default;

HttpRequestParser::FeedResult HttpRequestParser::feed(std::string_view bytes) {
  return impl_->feed(bytes);
}

bool HttpRequestParser::expects_continue() const { return impl_->expects_continue(); }

void HttpRequestParser::reset() {
  request_.reset();
  impl_->start();
}

}  // namespace stator

#include "server/data/s3/s3_reader.h"

#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

namespace stator::data {

namespace {

constexpr unsigned kOk = 200;
constexpr unsigned kPartialContent = 206;
constexpr unsigned kRangeNotSatisfiable = 416;

// Takes a number and the text after it off the front.
bool take_number(std::string_view& text, std::string_view after, std::uint64_t& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  if (!text.starts_with(after)) return false;
  text.remove_prefix(after.size());
  return true;
}

class S3Reader final : public ObjectReader {
 public:
  S3Reader(S3Client& client, std::string bucket, std::string key)
      : client_{client}, bucket_{std::move(bucket)}, key_{std::move(key)} {}

  StoreResult read_range() {
    const std::uint64_t last = offset_ + kS3RangeBytes - 1;
    std::vector<HttpField> fields{
        {"Range", "bytes=" + std::to_string(offset_) + "-" + std::to_string(last)}};
    if (!etag_.empty()) fields.emplace_back("If-Match", etag_);
    auto answer = client_.ask({.method = "GET",
                               .bucket = bucket_,
                               .key = key_,
                               .fields = std::move(fields),
                               .response_bytes_max = kS3RangeBytes});
    if (!answer && answer.error().status == kRangeNotSatisfiable && offset_ == 0) {
      is_at_end_ = true;  // an empty object has no range
      return {};
    }
    if (!answer) return tl::unexpected(std::move(answer).error().failure);
    return accept(*std::move(answer));
  }

  tl::expected<std::string_view, StoreFailure> next() override {
    if (is_read_) {
      range_.clear();
      if (is_at_end_) return std::string_view();
      if (auto read = read_range(); !read) return tl::unexpected(std::move(read).error());
    }
    is_read_ = true;
    return range_;
  }

 private:
  StoreResult accept(HttpClientResponse&& answer) {
    const std::uint64_t size = answer.body.size();
    const auto range = read_content_range(answer.field("Content-Range"));
    const bool is_whole = answer.status == kOk && offset_ == 0 && is_complete(answer);
    const bool is_next = answer.status == kPartialContent && range && range->first == offset_ &&
                         range->last - range->first + 1 == size &&
                         (offset_ == 0 || range->total == total_);
    if (!is_whole && !is_next)
      return tl::unexpected(client_.not_s3(answer.status, " with another range").failure);
    etag_ = answer.field("ETag");
    total_ = is_whole ? size : range->total;
    offset_ += size;
    is_at_end_ = offset_ == total_;
    range_ = std::move(answer.body);
    return {};
  }

  // Whether its end is not just that of the connection.
  static bool is_complete(const HttpClientResponse& answer) {
    return answer.field("Content-Length") == std::to_string(answer.body.size()) ||
           !answer.field("Transfer-Encoding").empty();
  }

  S3Client& client_;
  const std::string bucket_;
  const std::string key_;
  std::string etag_;  // with its quotes
  std::uint64_t total_ = 0;
  std::uint64_t offset_ = 0;  // of the next range
  bool is_at_end_ = false;
  bool is_read_ = false;  // next() returned the range
  std::string range_;
};

}  // namespace

std::optional<ContentRange> read_content_range(std::string_view text) {
  ContentRange range;
  constexpr std::string_view kUnit = "bytes ";
  if (!text.starts_with(kUnit)) return {};
  text.remove_prefix(kUnit.size());
  const bool is_read = take_number(text, "-", range.first) && take_number(text, "/", range.last) &&
                       take_number(text, "", range.total) && text.empty();
  const bool is_sound = is_read && range.first <= range.last && range.last < range.total;
  return is_sound ? std::optional(range) : std::nullopt;
}

tl::expected<std::unique_ptr<ObjectReader>, StoreFailure> open_s3_reader(S3Client& client,
                                                                         std::string bucket,
                                                                         std::string key) {
  auto reader = std::make_unique<S3Reader>(client, std::move(bucket), std::move(key));
  if (auto read = reader->read_range(); !read) return tl::unexpected(std::move(read).error());
  return std::unique_ptr<ObjectReader>(std::move(reader));
}

}  // namespace stator::data

#include "server/data/s3/s3_store.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include "server/data/objects/s3_failure.h"
#include "server/data/s3/s3_answers.h"
#include "server/data/s3/s3_client.h"
#include "server/data/s3/s3_reader.h"
#include "server/data/s3/s3_writer.h"
#include "server/data/s3/url_text.h"

namespace stator::data {

namespace {

constexpr unsigned kNotFound = 404;
constexpr unsigned kRedirections = 300;
constexpr unsigned kErrorsOfServer = 500;
constexpr std::size_t kListBytesMax = std::size_t{8} << 20;  // 1,000 long keys are some 4 MB
constexpr int kPagesMax = 10'000;                            // of 1,000 keys

// Whether nothing on the way to S3 can take a path with it for another one.
bool is_plain_path(std::string_view text) {
  for (;;) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    const std::string_view part = text.substr(0, slash);
    if (part == "." || part == "..") return false;
    if (slash == text.size()) return true;
    text.remove_prefix(slash + 1);
  }
}

class S3Store final : public ObjectStore {
 public:
  explicit S3Store(Endpoint endpoint) : client_{std::move(endpoint)} {}

  // The user makes it, as all buckets.
  std::string_view logs_bucket() const override { return "stator-logs"; }
  std::string where(std::string_view bucket) const override { return client_.where(bucket); }

  void interrupt() override { client_.interrupt(); }

  // The response to a HEAD has no reason. A key that may only write objects may not ask at all, so
  // whether the bucket may be used is for the next request to show.
  StoreResult check_bucket(std::string_view bucket) override {
    if (!is_plain_path(bucket) || bucket.empty()) return tl::unexpected(s3_failure(kNoSuchBucket));
    const auto answer = client_.ask({.method = "HEAD", .bucket = bucket});
    if (answer) return {};
    const unsigned status = answer.error().status;
    if (status == kNotFound) return tl::unexpected(s3_failure(kNoSuchBucket));
    if (status >= kRedirections && status < kErrorsOfServer) return {};
    return tl::unexpected(answer.error().failure);
  }

  tl::expected<std::unique_ptr<ObjectWriter>, StoreFailure> create(std::string_view bucket,
                                                                   std::string_view key) override {
    if (auto checked = check_key(key); !checked) return tl::unexpected(std::move(checked).error());
    return make_s3_writer(client_, std::string(bucket), std::string(key));
  }

  tl::expected<std::unique_ptr<ObjectReader>, StoreFailure> open(std::string_view bucket,
                                                                 std::string_view key) override {
    if (auto checked = check_key(key); !checked) return tl::unexpected(std::move(checked).error());
    return open_s3_reader(client_, std::string(bucket), std::string(key));
  }

  tl::expected<std::uint64_t, StoreFailure> size_bytes(std::string_view bucket,
                                                       std::string_view key) override {
    if (auto checked = check_key(key); !checked) return tl::unexpected(std::move(checked).error());
    const auto answer = client_.ask({.method = "HEAD", .bucket = bucket, .key = key});
    if (!answer && answer.error().status == kNotFound)  // without a body that would say so
      return tl::unexpected(s3_failure(kNoSuchKey));
    if (!answer) return tl::unexpected(answer.error().failure);
    const std::string_view text = answer->field("Content-Length");
    std::uint64_t size = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), size);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size())
      return tl::unexpected(client_.not_s3(answer->status, " without a size").failure);
    return size;
  }

  StoreResult list(std::string_view bucket, std::string_view prefix,
                   const VisitKey& visit) override {
    std::string token;
    for (int pages = 0; pages < kPagesMax; ++pages) {
      std::string query;
      if (!token.empty()) query.append("continuation-token=").append(encode_url(token)).append("&");
      query.append("encoding-type=url&list-type=2&prefix=").append(encode_url(prefix));
      const auto answer = client_.ask({.method = "GET",
                                       .bucket = bucket,
                                       .query = std::move(query),
                                       .response_bytes_max = kListBytesMax});
      if (!answer) return tl::unexpected(answer.error().failure);
      auto page = read_listed_keys(answer->body);
      if (!page) return tl::unexpected(client_.not_s3(answer->status, " without a list").failure);
      for (const std::string& key : page->keys) {
        if (key.starts_with(prefix) && !visit(key)) return {};
      }
      if (page->next_token.empty()) return {};
      token = std::move(page->next_token);
    }
    return tl::unexpected(
        StoreFailure{"InternalServerError", where(bucket) + ": the list of objects has no end"});
  }

 private:
  static StoreResult check_key(std::string_view key) {
    if (is_plain_path(key) && !key.empty()) return {};
    return tl::unexpected(StoreFailure{
        "S3AccessDenied", "the key '" + std::string(key) + "' is empty, or has a part . or .."});
  }

  S3Client client_;
};

}  // namespace

std::unique_ptr<ObjectStore> make_s3_store(Endpoint endpoint) {
  return std::make_unique<S3Store>(std::move(endpoint));
}

}  // namespace stator::data

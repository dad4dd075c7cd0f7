#include "server/data/s3/s3_writer.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "protocol/text/xml_text.h"
#include "server/data/s3/s3_answers.h"
#include "server/data/s3/url_text.h"

namespace stator::data {

namespace {

constexpr std::size_t kPartsMax = 10'000;

class S3Writer final : public ObjectWriter {
 public:
  S3Writer(S3Client& client, std::string bucket, std::string key)
      : client_{client}, bucket_{std::move(bucket)}, key_{std::move(key)} {}
  ~S3Writer() override { abort(); }
  S3Writer(const S3Writer&) = delete;
  S3Writer& operator=(const S3Writer&) = delete;

  StoreResult append(std::string_view bytes) override {
    size_bytes_ += bytes.size();
    while (!bytes.empty()) {
      if (part_.size() == kS3PartBytes) {
        if (auto sent = send_part(); !sent) return sent;
      }
      const std::string_view piece = bytes.substr(0, kS3PartBytes - part_.size());
      part_ += piece;
      bytes.remove_prefix(piece.size());
    }
    return {};
  }

  StoreResult finish() override {
    if (upload_.empty()) {
      auto sent =
          etag_of(client_.ask({.method = "PUT", .bucket = bucket_, .key = key_, .body = part_}));
      if (!sent) return tl::unexpected(std::move(sent).error());
      etag_ = *std::move(sent);
      return {};
    }
    if (auto sent = send_part(); !sent) return sent;
    return complete();
  }

  std::string etag() const override { return etag_; }

 private:
  // Each object and each part that S3 has stored has an ETag: a server that says none is none of
  // S3.
  tl::expected<std::string, StoreFailure> etag_of(
      const tl::expected<HttpClientResponse, S3Error>& answer) const {
    if (!answer) return tl::unexpected(answer.error().failure);
    const std::string_view etag = answer->field("ETag");
    if (etag.empty())
      return tl::unexpected(client_.not_s3(answer->status, " without an ETag").failure);
    return unquoted(etag);
  }

  std::string upload_query() const { return "uploadId=" + encode_url(upload_); }

  StoreResult begin_upload() {
    auto answer =
        client_.ask({.method = "POST", .bucket = bucket_, .key = key_, .query = "uploads="});
    if (!answer) return tl::unexpected(std::move(answer).error().failure);
    auto upload = read_upload_id(answer->body);
    if (!upload)
      return tl::unexpected(client_.not_s3(answer->status, " without an upload").failure);
    upload_ = *std::move(upload);
    return {};
  }

  StoreResult send_part() {
    if (upload_.empty()) {
      if (auto begun = begin_upload(); !begun) return begun;
    }
    if (part_etags_.size() == kPartsMax) {
      return tl::unexpected(
          StoreFailure{"InternalServerError", key_ + ": an object has at most 10,000 parts"});
    }
    const std::string number = std::to_string(part_etags_.size() + 1);
    auto sent = etag_of(client_.ask({.method = "PUT",
                                     .bucket = bucket_,
                                     .key = key_,
                                     .query = "partNumber=" + number + "&" + upload_query(),
                                     .body = part_}));
    if (!sent) return tl::unexpected(std::move(sent).error());
    part_etags_.push_back(*std::move(sent));
    part_.clear();
    return {};
  }

  StoreResult complete() {
    std::string body = "<CompleteMultipartUpload>";
    for (std::size_t i = 0; i < part_etags_.size(); ++i) {
      body += "<Part><PartNumber>" + std::to_string(i + 1) + "</PartNumber><ETag>\"" +
              xml_text(part_etags_[i]) + "\"</ETag></Part>";
    }
    body += "</CompleteMultipartUpload>";
    auto answer = client_.ask(
        {.method = "POST", .bucket = bucket_, .key = key_, .query = upload_query(), .body = body});
    if (!answer) return after_failure(answer.error());
    auto etag = read_completed(answer->body);
    if (!etag) return tl::unexpected(client_.not_s3(answer->status, " without an ETag").failure);
    return note_complete(*std::move(etag));
  }

  // An attempt whose response was lost may have completed the upload: then the object is there.
  StoreResult after_failure(const S3Error& error) {
    if (error.code == "NoSuchUpload") {
      const auto answer = client_.ask({.method = "HEAD", .bucket = bucket_, .key = key_});
      if (answer && answer->field("Content-Length") == std::to_string(size_bytes_)) {
        if (auto etag = etag_of(answer)) return note_complete(*std::move(etag));
      }
    }
    return tl::unexpected(error.failure);
  }

  StoreResult note_complete(std::string etag) {
    etag_ = std::move(etag);
    upload_.clear();
    return {};
  }

  void abort() {
    if (upload_.empty()) return;
    const S3Request request{
        .method = "DELETE", .bucket = bucket_, .key = key_, .query = upload_query()};
    if (client_.is_interrupted()) {
      client_.tell(request);
    } else {
      (void)client_.ask(request);
    }
  }

  S3Client& client_;
  const std::string bucket_;
  const std::string key_;
  std::string part_;                     // that is not sent yet
  std::string upload_;                   // empty: none is open
  std::vector<std::string> part_etags_;  // of those sent
  std::uint64_t size_bytes_ = 0;
  std::string etag_;
};

}  // namespace

std::unique_ptr<ObjectWriter> make_s3_writer(S3Client& client, std::string bucket,
                                             std::string key) {
  return std::make_unique<S3Writer>(client, std::move(bucket), std::move(key));
}

}  // namespace stator::data

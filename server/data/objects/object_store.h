// ObjectStore: buckets with objects, which exports write and imports read. Keys are as S3 has them;
// nothing here says how a store keeps them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace stator::data {

// Why a store refused something, as a job reports it.
struct StoreFailure {
  std::string code;     // S3NoSuchBucket, S3AccessDenied …
  std::string message;  // for people
};

using StoreResult = tl::expected<void, StoreFailure>;

// An object while it is written. It is there whole after finish(), or not at all.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  virtual StoreResult append(std::string_view bytes) = 0;
  virtual StoreResult finish() = 0;
  // After finish(): the ETag that the store gave the object; empty: it gives none.
  virtual std::string etag() const { return {}; }
};

class ObjectReader {
 public:
  virtual ~ObjectReader() = default;
  // The next bytes, a view until the next call; none at the end.
  virtual tl::expected<std::string_view, StoreFailure> next() = 0;
};

// Safe from one thread at a time, but for interrupt(). Its readers and writers do not outlive it.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  // Succeeds too if only a later call can show whether the bucket may be used.
  virtual StoreResult check_bucket(std::string_view bucket) = 0;
  // Replaces the object when it is finished.
  virtual tl::expected<std::unique_ptr<ObjectWriter>, StoreFailure> create(
      std::string_view bucket, std::string_view key) = 0;
  virtual tl::expected<std::unique_ptr<ObjectReader>, StoreFailure> open(std::string_view bucket,
                                                                         std::string_view key) = 0;
  // Of the object as it is stored. Reads it, unless the store knows better.
  virtual tl::expected<std::uint64_t, StoreFailure> size_bytes(std::string_view bucket,
                                                               std::string_view key) {
    auto object = open(bucket, key);
    if (!object) return tl::unexpected(std::move(object).error());
    for (std::uint64_t size = 0;;) {
      const auto bytes = (*object)->next();
      if (!bytes) return tl::unexpected(bytes.error());
      if (bytes->empty()) return size;
      size += bytes->size();
    }
  }
  // Visits the keys that begin with the prefix, in their order, until `visit` returns false.
  using VisitKey = std::function<bool(std::string_view key)>;
  virtual StoreResult list(std::string_view bucket, std::string_view prefix,
                           const VisitKey& visit) = 0;

  // The process ends: a call that waits for another machine, and each later one, fails soon. From
  // any thread.
  virtual void interrupt() {}

  // The bucket for what goes to CloudWatch elsewhere.
  virtual std::string_view logs_bucket() const = 0;

  // Where the bucket is, for people.
  virtual std::string where(std::string_view bucket) const = 0;

  // A whole small object.
  StoreResult put(std::string_view bucket, std::string_view key, std::string_view text) {
    auto object = create(bucket, key);
    if (!object) return tl::unexpected(std::move(object).error());
    if (auto added = (*object)->append(text); !added) return added;
    return (*object)->finish();
  }
};

}  // namespace stator::data

// PackedObject: an object of a store that is gzip, with the sums that a manifest names.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "server/data/objects/object_store.h"
#include "server/data/packing/file_digest.h"

namespace stator::data {

class PackedObject {
 public:
  // Equal bytes give an equal object: its header has no time.
  static tl::expected<PackedObject, StoreFailure> create(ObjectStore& store,
                                                         std::string_view bucket,
                                                         std::string_view key);
  ~PackedObject();
  PackedObject(PackedObject&&) noexcept;
  PackedObject& operator=(PackedObject&&) = delete;

  StoreResult append(std::string_view bytes);
  // Of the object as it is stored.
  struct Sums {
    std::string md5;   // in Base64
    std::string etag;  // the store's; if it gives none, the MD5 in hex, as S3's is
  };
  tl::expected<Sums, StoreFailure> finish();

 private:
  struct Impl;
  explicit PackedObject(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace stator::data

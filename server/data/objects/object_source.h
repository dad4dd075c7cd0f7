// ObjectSource: the bytes of an object, for the readers of formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/data/objects/object_store.h"
#include "server/data/packing/byte_source.h"

namespace stator::data {

// What was read of an object.
struct ObjectRead {
  std::int64_t size_bytes = 0;
  std::optional<StoreFailure> failure;  // why the store gave no more
};

class ObjectSource final : public ByteSource {
 public:
  // `progress` must outlive this.
  ObjectSource(std::unique_ptr<ObjectReader> object, ObjectRead& progress)
      : object_{std::move(object)}, progress_{progress} {}

  std::size_t read(char* out, std::size_t size, std::string& why) override;

 private:
  const std::unique_ptr<ObjectReader> object_;
  ObjectRead& progress_;
  std::string_view unread_;  // of the object's last block
};

}  // namespace stator::data

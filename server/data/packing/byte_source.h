// ByteSource: where bytes to import come from, one block after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace stator::data {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Reads up to `size` bytes, at least one. Returns 0 at the end and on an error, with the reason
  // for people in `why`.
  virtual std::size_t read(char* out, std::size_t size, std::string& why) = 0;
};

}  // namespace stator::data

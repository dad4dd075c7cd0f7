// Unpacker: unpacks gzip and zstd as the bytes come.
//
// Data may be several gzip members or zstd frames in a row. Anything else after them is an error,
// and so is an end within them. The memory is bounded: a block of the data, and a window of 128 MiB
// at most, which is what zstd itself unpacks unless it is asked for more.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/data/packing/byte_source.h"
#include "server/data/packing/packing.h"

namespace stator::data {

class FrameReader;

class Unpacker final : public ByteSource {
 public:
  // Without `packing` the first bytes decide.
  explicit Unpacker(std::unique_ptr<ByteSource> packed, std::optional<Packing> packing = {});
  ~Unpacker() override;
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  // Unpacked bytes. Nothing is read after an error.
  std::size_t read(char* out, std::size_t size, std::string& why) override;

  // Packed bytes read so far.
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  std::string_view unread() const { return std::string_view(block_).substr(taken_); }
  bool fetch(std::string& why);
  bool has(std::size_t bytes, std::string& why);
  bool begin(std::string& why);
  std::size_t copy(char* out, std::size_t size, std::string& why);
  std::size_t unpack(char* out, std::size_t size, std::string& why);
  bool next_frame(std::string& why);

  const std::unique_ptr<ByteSource> packed_;
  const std::optional<Packing> packing_;
  std::unique_ptr<FrameReader> frames_;  // none: the bytes are not packed
  bool is_begun_ = false;
  bool is_first_ = true;     // no frame was read
  bool is_between_ = false;  // two frames
  std::string block_;
  std::size_t taken_ = 0;  // of the block
  std::uint64_t bytes_read_ = 0;
};

}  // namespace stator::data

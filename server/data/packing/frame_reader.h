// FrameReader: unpacks the frames of one kind of packing, such as the members of gzip.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "server/data/packing/packing.h"

namespace stator::data {

// zlib's number for the largest window in gzip's frame.
inline constexpr int kGzipWindow = 15 + 16;

class FrameReader {
 public:
  virtual ~FrameReader() = default;

  virtual std::string_view name() const = 0;
  // Bytes that begins_frame() needs.
  virtual std::size_t head_bytes() const = 0;
  virtual bool begins_frame(std::string_view bytes) const = 0;
  // Prepares for the next frame. False: there is not enough memory.
  virtual bool restart() = 0;

  struct Step {
    std::size_t taken = 0;  // of the packed bytes
    std::size_t made = 0;   // unpacked ones
    bool is_end = false;    // of the frame
    std::string problem;    // why the data are damaged; empty if they are not
  };
  // Unpacks some of `packed`, which may be empty, into `out`. REQUIRES: size is not 0, and `packed`
  // is at most 4 GiB.
  virtual Step step(std::string_view packed, char* out, std::size_t size) = 0;
};

// None for Packing::None.
std::unique_ptr<FrameReader> make_frame_reader(Packing packing);

}  // namespace stator::data

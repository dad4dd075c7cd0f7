// See compression.h.

#include "server/http/compression.h"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <cassert>
#include <new>

namespace stator {

namespace {

constexpr std::size_t kStepBytes = 64 * 1024;
// zlib's window bits: 15, plus 16 for the gzip frame.
int window_bits(Encoding encoding) { return encoding == Encoding::Gzip ? 15 + 16 : 15; }

// zlib reads through a pointer to non-const and leaves the bytes alone.
Bytef* bytes_of(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

struct InflateStream : z_stream {
  explicit InflateStream(Encoding encoding) : z_stream{} {
    if (inflateInit2(this, window_bits(encoding)) != Z_OK) throw std::bad_alloc{};
  }
  ~InflateStream() { inflateEnd(this); }
  InflateStream(const InflateStream&) = delete;
  InflateStream& operator=(const InflateStream&) = delete;
};

struct DeflateStream : z_stream {
  explicit DeflateStream(Encoding encoding) : z_stream{} {
    constexpr int kMemoryLevel = 8;
    if (deflateInit2(this, Z_BEST_SPEED, Z_DEFLATED, window_bits(encoding), kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc{};
    }
  }
  ~DeflateStream() { deflateEnd(this); }
  DeflateStream(const DeflateStream&) = delete;
  DeflateStream& operator=(const DeflateStream&) = delete;
};

}  // namespace

Inflated inflate_body(std::string_view packed, Encoding encoding, std::size_t bytes_max,
                      std::string& out) {
  assert(encoding != Encoding::Identity);
  out.clear();
  InflateStream stream{encoding};
  stream.next_in = bytes_of(packed);
  stream.avail_in = static_cast<uInt>(packed.size());
  std::size_t used = 0;
  for (;;) {
    // One byte above the limit shows that it is exceeded.
    if (used == out.size()) {
      out.resize(std::min(bytes_max + 1, out.size() + std::max(out.size() / 2, kStepBytes)));
    }
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + used);
    stream.avail_out = static_cast<uInt>(out.size() - used);
    const int status = inflate(&stream, Z_NO_FLUSH);
    used = out.size() - stream.avail_out;
    if (used > bytes_max) {
      out.clear();
      return Inflated::TooLarge;
    }
    if (status == Z_STREAM_END) {
      if (stream.avail_in == 0) break;
      if (encoding == Encoding::Gzip && inflateReset(&stream) == Z_OK) continue;
    }
    // At Z_STREAM_END: bytes follow the only zlib stream.
    if (status != Z_OK || (stream.avail_in == 0 && stream.avail_out != 0)) {
      out.clear();
      return Inflated::Broken;
    }
  }
  out.resize(used);
  return Inflated::Ok;
}

void deflate_body(std::string_view body, Encoding encoding, std::string& out) {
  assert(encoding != Encoding::Identity);
  DeflateStream stream{encoding};
  out.resize(deflateBound(&stream, static_cast<uLong>(body.size())));
  stream.next_in = bytes_of(body);
  stream.avail_in = static_cast<uInt>(body.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  [[maybe_unused]] const int status = deflate(&stream, Z_FINISH);
  assert(status == Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
}

std::uint32_t crc32_of(std::string_view bytes) {
  return libdeflate_crc32(0, bytes.data(), bytes.size());
}

}  // namespace stator

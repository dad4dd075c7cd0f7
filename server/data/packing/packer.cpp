#include "server/data/packing/packer.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <new>
#include <vector>

#include "server/data/packing/frame_reader.h"

namespace stator::data {

namespace {

constexpr int kGzipMemoryLevel = 8;
constexpr std::size_t kPackedBytes = std::size_t{64} << 10;
// zlib counts in unsigned int.
constexpr std::size_t kPieceBytesMax = std::size_t{64} << 20;

class NoPacker final : public Packer {
 public:
  bool add(std::string_view bytes, const Take& take) override {
    return bytes.empty() || take(bytes);
  }
  bool finish(const Take& /*take*/) override { return true; }
};

class GzipPacker final : public Packer {
 public:
  GzipPacker() {
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kGzipMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~GzipPacker() override { deflateEnd(&stream_); }
  GzipPacker(const GzipPacker&) = delete;
  GzipPacker& operator=(const GzipPacker&) = delete;

  bool add(std::string_view bytes, const Take& take) override {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kPieceBytesMax)))
      if (!pack(bytes.substr(0, kPieceBytesMax), Z_NO_FLUSH, take)) return false;
    return true;
  }
  bool finish(const Take& take) override { return pack({}, Z_FINISH, take); }

 private:
  bool pack(std::string_view bytes, int flush, const Take& take) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    for (;;) {
      stream_.next_out = reinterpret_cast<Bytef*>(block_.data());
      stream_.avail_out = static_cast<uInt>(block_.size());
      const int result = deflate(&stream_, flush);
      const std::string_view packed(block_.data(), block_.size() - stream_.avail_out);
      if (!packed.empty() && !take(packed)) return false;
      if (result == Z_STREAM_END || (flush == Z_NO_FLUSH && stream_.avail_out > 0)) return true;
    }
  }

  z_stream stream_{};
  std::vector<char> block_ = std::vector<char>(kPackedBytes);
};

class ZstdPacker final : public Packer {
 public:
  ZstdPacker() : stream_{ZSTD_createCCtx()} {
    if (stream_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(stream_.get(), ZSTD_c_checksumFlag, 1);
  }

  bool add(std::string_view bytes, const Take& take) override {
    return pack(bytes, ZSTD_e_continue, take);
  }
  bool finish(const Take& take) override { return pack({}, ZSTD_e_end, take); }

 private:
  struct Freer {
    void operator()(ZSTD_CCtx* stream) const { ZSTD_freeCCtx(stream); }
  };

  bool pack(std::string_view bytes, ZSTD_EndDirective end, const Take& take) {
    ZSTD_inBuffer from{bytes.data(), bytes.size(), 0};
    for (;;) {
      ZSTD_outBuffer to{block_.data(), block_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(stream_.get(), &to, &from, end);
      // Only lack of memory is possible: the parameters are fixed.
      if (ZSTD_isError(left) != 0) throw std::bad_alloc();
      if (to.pos != 0 && !take({block_.data(), to.pos})) return false;
      const bool is_done = end == ZSTD_e_end ? left == 0 : from.pos == from.size;
      if (is_done) return true;
    }
  }

  std::unique_ptr<ZSTD_CCtx, Freer> stream_;
  std::vector<char> block_ = std::vector<char>(kPackedBytes);
};

}  // namespace

std::unique_ptr<Packer> make_packer(Packing packing) {
  switch (packing) {
    case Packing::Gzip:
      return std::make_unique<GzipPacker>();
    case Packing::Zstd:
      return std::make_unique<ZstdPacker>();
    case Packing::None:
      break;
  }
  return std::make_unique<NoPacker>();
}

}  // namespace stator::data

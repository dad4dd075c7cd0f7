#include "server/data/packing/frame_reader.h"

#include <zlib.h>
#include <zstd.h>

namespace stator::data {

namespace {

// zlib: the largest window, gzip format only.
// zstd: 128 MiB.
constexpr int kZstdWindowLog = 27;

class GzipFrames final : public FrameReader {
 public:
  GzipFrames() = default;
  ~GzipFrames() override {
    if (is_ready_) inflateEnd(&stream_);
  }
  GzipFrames(const GzipFrames&) = delete;
  GzipFrames& operator=(const GzipFrames&) = delete;

  std::string_view name() const override { return packing_name(Packing::Gzip); }
  std::size_t head_bytes() const override { return kMagic.size(); }
  bool begins_frame(std::string_view bytes) const override { return bytes.starts_with(kMagic); }

  bool restart() override {
    if (is_ready_) return inflateReset(&stream_) == Z_OK;
    is_ready_ = inflateInit2(&stream_, kGzipWindow) == Z_OK;
    return is_ready_;
  }

  Step step(std::string_view packed, char* out, std::size_t size) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(size);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    Step step{.taken = packed.size() - stream_.avail_in,
              .made = size - stream_.avail_out,
              .is_end = status == Z_STREAM_END,
              .problem = {}};
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      step.problem = stream_.msg != nullptr ? stream_.msg : "they cannot be unpacked";
    return step;
  }

 private:
  static constexpr std::string_view kMagic = "\x1F\x8B";

  bool is_ready_ = false;
  z_stream stream_{};
};

class ZstdFrames final : public FrameReader {
 public:
  std::string_view name() const override { return packing_name(Packing::Zstd); }
  std::size_t head_bytes() const override { return kMagic.size(); }

  // Of data, or one to be skipped, such as pzstd writes.
  bool begins_frame(std::string_view bytes) const override {
    constexpr std::string_view kSkippedTail = "\x2A\x4D\x18";
    if (bytes.starts_with(kMagic)) return true;
    return bytes.size() >= kMagic.size() && (static_cast<unsigned char>(bytes[0]) >> 4) == 5 &&
           bytes.substr(1).starts_with(kSkippedTail);
  }

  bool restart() override {
    if (stream_ == nullptr) stream_.reset(ZSTD_createDCtx());
    return stream_ != nullptr &&
           ZSTD_isError(ZSTD_DCtx_reset(stream_.get(), ZSTD_reset_session_only)) == 0 &&
           ZSTD_isError(
               ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, kZstdWindowLog)) == 0;
  }

  Step step(std::string_view packed, char* out, std::size_t size) override {
    ZSTD_inBuffer from{packed.data(), packed.size(), 0};
    ZSTD_outBuffer to{out, size, 0};
    const std::size_t result = ZSTD_decompressStream(stream_.get(), &to, &from);
    Step step{.taken = from.pos, .made = to.pos, .is_end = result == 0, .problem = {}};
    if (ZSTD_isError(result) != 0) step.problem = ZSTD_getErrorName(result);
    return step;
  }

 private:
  struct Freer {
    void operator()(ZSTD_DCtx* stream) const { ZSTD_freeDCtx(stream); }
  };
  static constexpr std::string_view kMagic = "\x28\xB5\x2F\xFD";

  std::unique_ptr<ZSTD_DCtx, Freer> stream_;
};

}  // namespace

std::unique_ptr<FrameReader> make_frame_reader(Packing packing) {
  switch (packing) {
    case Packing::Gzip:
      return std::make_unique<GzipFrames>();
    case Packing::Zstd:
      return std::make_unique<ZstdFrames>();
    case Packing::None:
      break;
  }
  return nullptr;
}

}  // namespace stator::data

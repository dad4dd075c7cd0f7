#include "server/data/packing/unpacker.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "server/data/packing/frame_reader.h"

namespace stator::data {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
// Of any kind of frame.
constexpr std::size_t kHeadBytesMax = 4;

// Which packing has a frame that begins so; none if the bytes are not packed.
std::unique_ptr<FrameReader> recognise_frames(std::string_view bytes) {
  for (const Packing packing : {Packing::Gzip, Packing::Zstd}) {
    auto frames = make_frame_reader(packing);
    if (frames->begins_frame(bytes)) return frames;
  }
  return nullptr;
}

}  // namespace

Unpacker::Unpacker(std::unique_ptr<ByteSource> packed, std::optional<Packing> packing)
    : packed_{std::move(packed)}, packing_{packing} {}
Unpacker::~Unpacker() = default;

std::size_t Unpacker::read(char* out, std::size_t size, std::string& why) {
  if (!is_begun_ && !begin(why)) return 0;
  return frames_ != nullptr ? unpack(out, size, why) : copy(out, size, why);
}

// Adds a block to the unread bytes. Returns false at the end or on an error.
bool Unpacker::fetch(std::string& why) {
  block_.erase(0, taken_);
  taken_ = 0;
  const std::size_t before = block_.size();
  block_.resize(before + kBlockBytes);
  const std::size_t count = packed_->read(block_.data() + before, kBlockBytes, why);
  block_.resize(before + count);
  bytes_read_ += count;
  return count > 0;
}

// Whether `bytes` are available; a pipe may deliver them one by one.
bool Unpacker::has(std::size_t bytes, std::string& why) {
  while (unread().size() < bytes && fetch(why)) continue;
  return unread().size() >= bytes;
}

bool Unpacker::begin(std::string& why) {
  is_begun_ = true;
  if (packing_) {
    frames_ = make_frame_reader(*packing_);
  } else {
    has(kHeadBytesMax, why);
    if (!why.empty()) return false;
    frames_ = recognise_frames(unread());
  }
  is_between_ = frames_ != nullptr;
  return true;
}

std::size_t Unpacker::copy(char* out, std::size_t size, std::string& why) {
  if (unread().empty() && !fetch(why)) return 0;
  const std::size_t count = std::min(size, unread().size());
  std::memcpy(out, unread().data(), count);
  taken_ += count;
  return count;
}

std::size_t Unpacker::unpack(char* out, std::size_t size, std::string& why) {
  const std::string its_data = "its " + std::string(frames_->name()) + " data are ";
  while (why.empty()) {
    if (is_between_ && !next_frame(why)) return 0;
    // Also without a packed byte: a frame may have ended before all of it is unpacked.
    FrameReader::Step step = frames_->step(unread(), out, size);
    taken_ += step.taken;
    is_between_ = step.is_end;
    if (!step.problem.empty()) why = its_data + "damaged: " + step.problem;
    if (step.made != 0) return step.made;
    if (!is_between_ && why.empty() && unread().empty() && !fetch(why) && why.empty())
      why = its_data + "cut short";
  }
  return 0;
}

// Begins a frame. Returns false at the end of the data or on an error.
bool Unpacker::next_frame(std::string& why) {
  has(frames_->head_bytes(), why);
  if (!why.empty()) return false;
  const std::string name(frames_->name());
  if (unread().empty() && !is_first_) return false;
  if (!frames_->begins_frame(unread())) {
    why = is_first_ ? "it is no " + name : "what follows its " + name + " data is no " + name;
    return false;
  }
  is_first_ = false;
  is_between_ = false;
  if (frames_->restart()) return true;
  why = "there is not enough memory to unpack it";
  return false;
}

}  // namespace stator::data

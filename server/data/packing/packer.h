// Packer: packs bytes as they come. Equal bytes give equal packed ones: no head has a time.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "server/data/packing/packing.h"

namespace stator::data {

class Packer {
 public:
  virtual ~Packer() = default;

  // Takes packed bytes, a view until it returns. False: they cannot be written, so packing stops.
  using Take = std::function<bool(std::string_view packed)>;
  // Returns false if `take` did.
  virtual bool add(std::string_view bytes, const Take& take) = 0;
  // Ends the frame; also an empty one. Nothing is added any more.
  virtual bool finish(const Take& take) = 0;
};

// Throws std::bad_alloc. Packing::None passes the bytes on.
std::unique_ptr<Packer> make_packer(Packing packing);

}  // namespace stator::data

#include "server/triggers/runtimes/call_output.h"

#include <algorithm>

#include "protocol/memory/arena.h"
#include "protocol/text/base64.h"

namespace stator::triggers {

std::string pack_output(std::string_view output) {
  output.remove_prefix(output.size() - std::min(output.size(), kOutputBytesMax));
  std::string packed;
  append_base64(packed, output);
  return packed;
}

std::string unpack_output(std::string_view packed) {
  if (packed.size() > base64_size(kOutputBytesMax) || check_base64(packed) != Base64Error::None)
    return {};
  Arena arena;
  return std::string(decode_base64(packed, arena));
}

}  // namespace stator::triggers

// The prefix that only the enveloped layer uses.
#include "protocol/wording.h"

namespace stator {

std::string Wording::enveloped(std::string_view message) const {
  std::string text;
  if (layer == Layer::Enveloped) {
    text.reserve(kOneValidationError.size() + message.size());
    text.append(kOneValidationError);
  }
  text.append(message);
  return text;
}

}  // namespace stator

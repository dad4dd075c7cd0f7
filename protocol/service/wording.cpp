// The prefix that only the enveloped layer uses.
#include "protocol/service/wording.h"

#include <utility>

namespace stator {

Error Wording::enveloped(Error&& error) const {
  if (layer != Layer::Enveloped) return std::move(error);
  return std::move(error).within(kOneValidationError);
}

}  // namespace stator

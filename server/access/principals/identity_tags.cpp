#include "server/access/principals/identity_tags.h"

#include <algorithm>

#include "protocol/access/language/names.h"

namespace stator::access {

Tags::const_iterator find_tag(const Tags& tags, std::string_view key) {
  return std::find_if(tags.begin(), tags.end(),
                      [key](const auto& tag) { return is_same_key(tag.first, key); });
}

}  // namespace stator::access

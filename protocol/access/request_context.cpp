#include "protocol/access/request_context.h"

#include <cstddef>
#include <utility>

#include "protocol/access/language/names.h"

namespace stator::access {

void RequestContext::set(ContextKey key) {
  for (ContextKey& known : keys_) {
    if (!is_same_key(known.name, key.name)) continue;
    known = std::move(key);
    return;
  }
  constexpr std::size_t kUsualKeys = 8;
  if (keys_.empty()) keys_.reserve(kUsualKeys);
  keys_.push_back(std::move(key));
}

void RequestContext::set(std::string_view name, std::string_view value) {
  ContextKey key{std::string(name), {}, false, false};
  key.values.emplace_back(value);
  set(std::move(key));
}

void RequestContext::set_list(std::string_view name, std::vector<std::string> values) {
  set({std::string(name), std::move(values), true, false});
}

void RequestContext::set_unknowable(std::string_view name, bool is_multi_valued) {
  set({std::string(name), {}, is_multi_valued, true});
}

const ContextKey* RequestContext::find(std::string_view name) const {
  for (const ContextKey& key : keys_) {
    if (is_same_key(key.name, name)) return &key;
  }
  return nullptr;
}

}  // namespace stator::access

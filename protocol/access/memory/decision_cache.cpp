#include "protocol/access/memory/decision_cache.h"

#include <functional>
#include <mutex>

namespace stator::access {

DecisionCache::OwnKey::OwnKey(const Key& key)
    : caller(key.caller),
      action(key.action),
      resource(key.resource),
      resource_policy(key.resource_policy) {}

std::size_t DecisionCache::KeyHash::operator()(const Key& key) const {
  constexpr std::size_t kFactor = 0x9E3779B97F4A7C15;
  const std::hash<std::string_view> hash;
  std::size_t mixed = key.caller;
  // Documents may be long, so their lengths stand for them; KeyEqual compares all of them.
  for (const std::size_t part : {hash(key.action), hash(key.resource), key.resource_policy.size()})
    mixed = (mixed ^ part) * kFactor;
  return mixed ^ (mixed >> 32);
}

std::optional<Decision> DecisionCache::find(const Key& key) const {
  const std::shared_lock lock(mutex_);
  const auto found = decisions_.find(key);
  if (found == decisions_.end()) return std::nullopt;
  return found->second;
}

void DecisionCache::add(const Key& key, const Decision& decision) {
  const std::size_t size_bytes =
      key.action.size() + key.resource.size() + key.resource_policy.size();
  const std::unique_lock lock(mutex_);
  if (decisions_.size() >= kDecisionsMax || size_bytes_ + size_bytes > kBytesMax) {
    decisions_.clear();
    size_bytes_ = 0;
  }
  if (decisions_.insert_or_assign(OwnKey(key), decision).second) size_bytes_ += size_bytes;
}

}  // namespace stator::access

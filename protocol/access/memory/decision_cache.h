// DecisionCache: what policies decide without a look at any condition key, remembered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "protocol/access/evaluation.h"

namespace stator::access {

// Any thread may use it.
class DecisionCache {
 public:
  static constexpr std::size_t kDecisionsMax = 10'000;
  static constexpr std::size_t kBytesMax = std::size_t{4} * 1024 * 1024;  // of their keys

  // All that a decision depends on, beside the context. Whatever changes it makes another key, so
  // no decision outlives its policies.
  struct Key {
    std::uint64_t caller = 0;   // stands for one principal with its policies, never for another
    std::string_view action;    // "dynamodb:GetItem"
    std::string_view resource;  // ARN; its account is the owner
    std::string_view resource_policy;  // the document; empty: none

    bool operator==(const Key&) const = default;
  };

  // The decision for an empty context, if it was added. With is_context_used another context may
  // decide otherwise; without it none does.
  std::optional<Decision> find(const Key& key) const;
  // Forgets all others if there are too many.
  void add(const Key& key, const Decision& decision);

 private:
  struct OwnKey {
    explicit OwnKey(const Key& key);
    Key view() const { return {caller, action, resource, resource_policy}; }

    std::uint64_t caller;
    std::string action;
    std::string resource;
    std::string resource_policy;
  };
  // Finds a decision without making strings.
  struct KeyHash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard's name
    std::size_t operator()(const Key& key) const;
    std::size_t operator()(const OwnKey& key) const { return (*this)(key.view()); }
  };
  struct KeyEqual {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard's name
    bool operator()(const OwnKey& one, const OwnKey& other) const {
      return one.view() == other.view();
    }
    bool operator()(const OwnKey& one, const Key& other) const { return one.view() == other; }
    bool operator()(const Key& one, const OwnKey& other) const { return one == other.view(); }
  };

  mutable std::shared_mutex mutex_;
  std::unordered_map<OwnKey, Decision, KeyHash, KeyEqual> decisions_;  // guarded by mutex_
  std::size_t size_bytes_ = 0;                                         // guarded
};

}  // namespace stator::access

#include "protocol/access/memory/decision_cache.h"

#include <string>

#include <catch2/catch.hpp>

namespace stator::access {
namespace {

constexpr DecisionCache::Key kKey{7, "dynamodb:GetItem", "arn:aws:dynamodb:r:1:table/A", "{}"};

TEST_CASE("decision cache: each part of the key counts", "[protocol]") {
  DecisionCache cache;
  CHECK_FALSE(cache.find(kKey));
  cache.add(kKey, {Reason::Allowed, false});
  const auto found = cache.find(kKey);
  REQUIRE(found);
  CHECK(found->is_allowed());
  DecisionCache::Key other = kKey;
  other.caller = 8;
  CHECK_FALSE(cache.find(other));
  other = kKey;
  other.action = "dynamodb:PutItem";
  CHECK_FALSE(cache.find(other));
  other = kKey;
  other.resource = "arn:aws:dynamodb:r:1:table/B";
  CHECK_FALSE(cache.find(other));
  // Of the same length, so that the hash is the same.
  other = kKey;
  other.resource_policy = "[]";
  CHECK_FALSE(cache.find(other));
}

TEST_CASE("decision cache: long documents have no room for many", "[protocol]") {
  DecisionCache cache;
  const std::string document(DecisionCache::kBytesMax / 4, ' ');
  DecisionCache::Key key = kKey;
  key.resource_policy = document;
  for (std::uint64_t i = 0; i < 4; ++i) {
    key.caller = i;
    cache.add(key, {});
  }
  CHECK(cache.find(key));
  key.caller = 0;
  CHECK_FALSE(cache.find(key));
}

TEST_CASE("decision cache: it is bounded", "[protocol]") {
  DecisionCache cache;
  DecisionCache::Key key = kKey;
  for (std::size_t i = 0; i <= DecisionCache::kDecisionsMax; ++i) {
    key.caller = i;
    cache.add(key, {Reason::NoIdentityAllow, true});
  }
  key.caller = 0;
  CHECK_FALSE(cache.find(key));
  key.caller = DecisionCache::kDecisionsMax;
  const auto last = cache.find(key);
  REQUIRE(last);
  CHECK(last->is_context_used);
}

}  // namespace
}  // namespace stator::access

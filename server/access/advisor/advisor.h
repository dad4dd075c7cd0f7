// Advisor: which permissions a run has used, and the policies that would do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/seams/clock.h"
#include "protocol/access/request_context.h"
#include "server/access/advisor/advised_policy.h"
#include "server/access/advisor/comparison.h"
#include "server/access/advisor/tenancy.h"
#include "server/access/principals/directory.h"

namespace stator {
class JsonWriter;
}

namespace stator::access {

// Any thread may use it.
class Advisor {
 public:
  // Above it, further resources of a principal and action count as "*".
  static constexpr std::size_t kUsesMax = 10'000;
  // More attributes of one use are no list that a policy should have.
  static constexpr std::size_t kAttributesMax = 100;

  // Notes one decision. Returns whether it is the first denial of this principal, action and
  // resource: worth a line in the log.
  bool note(const Identity& identity, std::string_view action, std::string_view resource,
            const RequestContext& context, bool is_allowed, Timestamp now);

  struct Filter {
    std::string principal;           // ARN; empty: all
    std::optional<Timestamp> since;  // uses that were made at this time or later
    bool only_denied = false;        // uses that were denied at least once
    bool has_resources = true;       // otherwise policies have "*" instead
    bool has_index_names = true;     // otherwise "index/*" stands for each index
    bool has_attributes = false;     // whether policies list the attributes
    // What a principal is compared with, by its ARN; empty: nothing.
    std::function<std::optional<Grant>(const std::string&)> grant = {};
  };
  // Writes {"principals":[{"principal":…,"uses":[…],"policy":{…},"comparison":{…}}],"tenants":[…],
  // "merged":0}; the same uses always give the same text.
  std::string report(const Filter& filter) const;
  // The policies alone, in the order of principals.
  std::vector<AdvisedPolicy> policies(const Filter& filter) const;

  // Forgets all uses.
  void reset();

 private:
  // Principal, action, resource.
  using Key = std::tuple<std::string, std::string, std::string>;
  struct Use {
    std::uint64_t count = 0;
    std::uint64_t denied = 0;
    Timestamp first;
    Timestamp last;
    bool has_leading_keys = false;
    bool is_used_alone = false;  // at least once not in a transaction
    Texts enclosing = {};        // the transactions
    Texts attributes = {};       // that the calls named
    Texts selects = {};
    Texts return_values = {};
    // Whether a call named attributes that no list can have, or that are unknown.
    bool is_beyond_lists = false;
  };
  using KeyView = std::tuple<std::string_view, std::string_view, std::string_view>;
  // Finds a use without making strings.
  struct KeyOrder {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard's name
    template <class One, class Other>
    bool operator()(const One& one, const Other& other) const {
      return (KeyView(one) <=> KeyView(other)) < 0;  // looks at each text once
    }
  };
  using Uses = std::map<Key, Use, KeyOrder>;
  // The uses of one principal that a filter leaves, copied: they are written and compared without
  // the lock.
  struct Share {
    AdvisedPolicy policy;
    std::vector<Uses::value_type> uses;
  };

  static void note_attributes(Use& use, const RequestContext& context);
  static std::string advised_resource(const std::string& resource, const Filter& filter);
  Use& use_of(std::string_view principal, std::string_view action, std::string_view resource);
  // These need the lock, too.
  std::vector<Share> shares(const Filter& filter) const;
  void add_statements(Share& share, const Filter& filter) const;
  AdvisedCondition condition_for(const Uses::value_type& use, const Filter& filter) const;
  void write_tenants(JsonWriter& json) const;

  static void write_share(JsonWriter& json, const Share& share, const Filter& filter);

  mutable std::mutex mutex_;
  Uses uses_;                                            // guarded by mutex_
  std::map<std::string, Tenancy, std::less<>> tenancy_;  // guarded; by resource
  std::uint64_t merged_ = 0;                             // guarded; notes that had no room
};

}  // namespace stator::access

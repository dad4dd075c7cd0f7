// Tenancy: whether the partition keys of a table begin with an attribute of the principal that uses
// them, so that a condition on dynamodb:LeadingKeys could separate tenants.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "server/access/principals/directory.h"

namespace stator::access {

// A condition that all uses of a table met.
struct TenantPattern {
  bool is_equal;        // the values are the variable itself, otherwise it and more
  std::string pattern;  // "${aws:PrincipalTag/tenant}#*"

  auto operator<=>(const TenantPattern&) const = default;
};

class Tenancy {
 public:
  static constexpr std::uint64_t kCallsMin = 20;
  static constexpr std::size_t kPrincipalsMin = 2;

  // A call with these partition keys.
  void note(const Identity& identity, std::string_view action,
            std::span<const std::string> leading_keys);
  // A call that reads the table without keys.
  void note_without_keys(const Identity& identity, std::string_view action);

  // Empty unless enough calls of enough principals have the same pattern and none is without.
  std::optional<TenantPattern> pattern() const;
  // "dynamodb:Scan by arn:…": what prevents a pattern; sorted.
  const std::set<std::string>& obstacles() const { return obstacles_; }

 private:
  // What the values have after the attribute.
  struct Candidate {
    std::string common;     // the longest text that all begin with
    bool is_equal = true;   // none has anything
    bool is_longer = true;  // all have something
  };

  void add_obstacle(const Identity& identity, std::string_view action);

  std::uint64_t calls_ = 0;
  std::set<std::string> principals_;
  std::map<std::string, Candidate> candidates_;  // by variable
  std::set<std::string> obstacles_;
};

}  // namespace stator::access

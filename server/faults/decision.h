// Decides which of the requests that fit a rule fail. A decision depends on the seed, the rule and
// the number of the request alone, never on threads or other rules. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/seams/clock.h"
#include "server/faults/fault_rule.h"

namespace stator::faults {

// FNV-1a. A text after others continues with their hash.
inline constexpr std::uint64_t kEmptyHash = 0xCBF29CE484222325U;
std::uint64_t hash_of(std::string_view text, std::uint64_t hash = kEmptyHash);

// A number of its own for each seed, rule, number and purpose.
std::uint64_t draw(std::uint64_t seed, std::string_view rule, std::uint64_t number,
                   std::uint64_t purpose);

// A request that fits a rule.
struct Candidate {
  std::uint64_t number = 0;                   // among those that fit, from 1
  std::optional<std::uint64_t> attempt = {};  // of the SDK
  Timestamp now;                              // by the engine's clock
};

// Whether the rule fires, apart from `times`. `made` is when the rule was made.
bool fires(const FaultRule& rule, std::uint64_t seed, Timestamp made, const Candidate& candidate);

// The delay of the request; zero without one.
std::chrono::microseconds delay_of(const FaultRule& rule, std::uint64_t seed, std::uint64_t number);

}  // namespace stator::faults

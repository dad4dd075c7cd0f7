#include "server/faults/decision.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stator::faults {

namespace {

// Purposes of draws.
constexpr std::uint64_t kForFiring = 0;
constexpr std::uint64_t kForDelay = 0xD1B54A32D192ED03U;
constexpr std::uint64_t kForAngle = 0x8CB92BA72F3D8DD7U;

// The 99th percentile of the standard normal distribution.
constexpr double kNormal99 = 2.3263478740408408;

// From 0 to below 1.
double fraction(std::uint64_t drawn) { return static_cast<double>(drawn >> 11) * 0x1.0p-53; }

bool is_in_window(const FaultWhen& when, Timestamp made, Timestamp now) {
  if (when.from && now < *when.from) return false;
  if (when.until && now >= *when.until) return false;
  return !when.lasts || now < when.from.value_or(made).plus(*when.lasts);
}

bool is_counted(const FaultWhen& when, std::uint64_t number) {
  if (number <= when.skip) return false;
  const std::uint64_t place = number - when.skip;
  if (!when.nth.empty() && std::find(when.nth.begin(), when.nth.end(), place) == when.nth.end())
    return false;
  if (when.every > 0 && place % when.every != 0) return false;
  return when.first == 0 || place <= when.first;
}

bool is_attempt(const AttemptPattern& pattern, std::optional<std::uint64_t> attempt) {
  if (!attempt) return false;
  if (!pattern.listed.empty())
    return std::find(pattern.listed.begin(), pattern.listed.end(), *attempt) !=
           pattern.listed.end();
  return *attempt >= pattern.from && *attempt <= pattern.to;
}

}  // namespace

std::uint64_t hash_of(std::string_view text, std::uint64_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return hash;
}

std::uint64_t draw(std::uint64_t seed, std::string_view rule, std::uint64_t number,
                   std::uint64_t purpose) {
  std::uint64_t mixed = (seed ^ hash_of(rule) ^ number ^ purpose) + 0x9E3779B97F4A7C15U;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
  return mixed ^ (mixed >> 31);
}

bool fires(const FaultRule& rule, std::uint64_t seed, Timestamp made, const Candidate& candidate) {
  const FaultWhen& when = rule.when;
  if (!is_in_window(when, made, candidate.now) || !is_counted(when, candidate.number)) return false;
  if (when.attempt && !is_attempt(*when.attempt, candidate.attempt)) return false;
  return !when.probability ||
         fraction(draw(seed, rule.name, candidate.number, kForFiring)) < *when.probability;
}

std::chrono::microseconds delay_of(const FaultRule& rule, std::uint64_t seed,
                                   std::uint64_t number) {
  if (!rule.effect.delay) return std::chrono::microseconds{0};
  const FaultDelay& delay = *rule.effect.delay;
  const double chance = fraction(draw(seed, rule.name, number, kForDelay));
  const auto low = static_cast<double>(delay.low.count());
  const auto high = static_cast<double>(delay.high.count());
  switch (delay.kind) {
    case FaultDelay::Kind::Fixed:
      return delay.low;
    case FaultDelay::Kind::Uniform:
      return std::chrono::microseconds(std::llround(low + (high - low) * chance));
    case FaultDelay::Kind::Lognormal:
      break;
  }
  // Box-Muller.
  const double angle = fraction(draw(seed, rule.name, number, kForAngle)) * 2 * std::numbers::pi;
  const double normal = std::sqrt(-2 * std::log(1 - chance)) * std::cos(angle);
  const double sigma = std::log(high / low) / kNormal99;
  const double drawn = low * std::exp(sigma * normal);
  return std::chrono::microseconds(
      std::llround(std::min(drawn, static_cast<double>(kFaultDelayMax.count()))));
}

}  // namespace stator::faults

// Dice: the randomness of a model run. One seed repeats one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

namespace stator::model {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  // 0 … bound - 1. REQUIRES: bound > 0.
  std::size_t below(std::size_t bound) { return engine_() % bound; }
  // lowest … highest.
  std::size_t between(std::size_t lowest, std::size_t highest) {
    return lowest + below(highest - lowest + 1);
  }
  bool percent(std::size_t chance) { return below(100) < chance; }
  bool permille(std::size_t chance) { return below(1000) < chance; }

  template <class T>
  const T& any(const std::vector<T>& pool) {
    return pool[below(pool.size())];
  }
  template <class T>
  T any(std::initializer_list<T> pool) {
    return *(pool.begin() + below(pool.size()));
  }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace stator::model

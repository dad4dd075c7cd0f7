// Random: the only source of randomness in the engine (table ids and the like), so that a seed
// repeats a run.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace stator {

class Random {
 public:
  virtual ~Random() = default;
  // Safe from one thread at a time: the engine calls it inside the commit queue only.
  virtual std::uint64_t next() = 0;

  // A version 4 UUID in lower case, 36 characters.
  std::string uuid();
};

class SystemRandom final : public Random {
 public:
  std::uint64_t next() override {
    return (static_cast<std::uint64_t>(device_()) << 32) | device_();
  }

 private:
  std::random_device device_;
};

class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t next() override { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace stator

// Findings: the problems that a check of stored data has met, a bounded number of lines.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "protocol/errors/error.h"

namespace stator {

class Findings {
 public:
  // The lines must outlive this.
  explicit Findings(std::vector<std::string>& lines) : lines_(lines) {}

  void add(const std::string& where, const std::string& what) {
    if (lines_.size() < kLinesMax) lines_.push_back(where + ": " + what);
    if (lines_.size() == kLinesMax - 1) lines_.emplace_back("there are more problems");
  }
  // A record that cannot be read. The check continues with the next one.
  void add(const std::string& where, const Error& error) { add(where, error.message()); }

 private:
  static constexpr std::size_t kLinesMax = 100;

  std::vector<std::string>& lines_;
};

}  // namespace stator

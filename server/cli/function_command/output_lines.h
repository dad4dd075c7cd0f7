// OutputLines: the output of a process, line by line, each with the id of the call before it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stator {

class OutputLines {
 public:
  // Lines go to `target`, 1 or 2, whole, also from several of these at a time. `tail`, which
  // outlives this, gets them without ids, and loses what is too old for a log.
  OutputLines(int target, std::string& tail) : target_(target), tail_(tail) {}

  // Reads what `pipe` has. Returns false once it has ended. `id`: empty for output between calls.
  bool read(int pipe, std::string_view id);
  // Writes an incomplete last line.
  void flush(std::string_view id);

 private:
  void write(std::string_view line, std::string_view id);

  const int target_;
  std::string& tail_;
  std::string rest_;
};

}  // namespace stator

// OutputLines: the output of a process, line by line, each with the id of the call before it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stator {

class OutputLines {
 public:
  // Lines go to `target`, 1 or 2, whole, also from several of these at a time.
  explicit OutputLines(int target) : target_(target) {}

  // Reads what `pipe` has. Returns false once it has ended. `id`: empty for output between calls.
  bool read(int pipe, std::string_view id);
  // Writes an incomplete last line.
  void flush(std::string_view id);

 private:
  void write(std::string_view line, std::string_view id) const;

  const int target_;
  std::string rest_;
};

}  // namespace stator

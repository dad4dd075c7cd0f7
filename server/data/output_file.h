// OutputFile: a file that is there whole or not at all, packed when its name ends in .gz; or
// stdout.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace stator::data {

class OutputFile {
 public:
  // "-" is stdout. Until finish() it is a file beside with the ending .partial. The error is for
  // people.
  static tl::expected<OutputFile, std::string> create(const std::string& path);
  // Removes what was not finished.
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept = default;
  OutputFile& operator=(OutputFile&&) = delete;

  // What cannot be written shows in finish().
  void append(std::string_view bytes);
  // Empty when all is in its place, else why not, for people.
  std::string finish();

 private:
  struct Closer {
    void operator()(void* file) const;
  };
  OutputFile() = default;

  std::string path_;     // empty for stdout
  std::string partial_;  // empty for stdout
  std::unique_ptr<void, Closer> file_;
  std::string error_;
};

}  // namespace stator::data

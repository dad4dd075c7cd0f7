// Digests of files and texts, as the manifests of exports need them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace stator::data {

// MD5 of bytes that come one after the other.
class Md5 {
 public:
  Md5();
  ~Md5();
  Md5(Md5&&) noexcept;
  Md5& operator=(Md5&&) = delete;

  void add(std::string_view bytes);

  struct Texts {
    std::string base64;
    std::string hex;
  };
  // Nothing is added any more.
  Texts finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Of a file's bytes as they are stored; none if it cannot be read.
std::optional<Md5::Texts> sums_of_file(const std::string& path);
std::string md5_of_text(std::string_view text);

}  // namespace stator::data

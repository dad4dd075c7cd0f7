#include "server/data/file_digest.h"

#include <openssl/evp.h>

#include <fstream>
#include <memory>
#include <vector>

#include "protocol/base64.h"

namespace stator::data {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

class Md5 {
 public:
  Md5() { EVP_DigestInit_ex(context_.get(), EVP_md5(), nullptr); }
  void add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
  std::string text() {
    std::string bytes(EVP_MAX_MD_SIZE, '\0');
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(bytes.data()), &size);
    std::string encoded;
    append_base64(encoded, std::string_view(bytes).substr(0, size));
    return encoded;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

}  // namespace

std::string md5_of_file(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  Md5 digest;
  std::vector<char> block(kBlockBytes);
  while (file.good()) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    digest.add({block.data(), static_cast<std::size_t>(file.gcount())});
  }
  return file.eof() ? digest.text() : std::string();
}

std::string md5_of_text(std::string_view text) {
  Md5 digest;
  digest.add(text);
  return digest.text();
}

}  // namespace stator::data

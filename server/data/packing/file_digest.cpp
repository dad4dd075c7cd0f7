#include "server/data/packing/file_digest.h"

#include <openssl/evp.h>

#include <fstream>
#include <vector>

#include "protocol/text/base64.h"
#include "protocol/text/hex.h"

namespace stator::data {

namespace {

constexpr std::size_t kDigestBytes = std::size_t{256} << 10;

}  // namespace

struct Md5::Impl {
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

Md5::Md5() : impl_{std::make_unique<Impl>()} {
  EVP_DigestInit_ex(impl_->context.get(), EVP_md5(), nullptr);
}
Md5::~Md5() = default;
Md5::Md5(Md5&&) noexcept = default;

void Md5::add(std::string_view bytes) {
  EVP_DigestUpdate(impl_->context.get(), bytes.data(), bytes.size());
}

Md5::Texts Md5::finish() {
  std::string bytes(EVP_MAX_MD_SIZE, '\0');
  unsigned size = 0;
  EVP_DigestFinal_ex(impl_->context.get(), reinterpret_cast<unsigned char*>(bytes.data()), &size);
  bytes.resize(size);
  Texts texts;
  append_base64(texts.base64, bytes);
  texts.hex = hex_of(bytes);
  return texts;
}

std::optional<Md5::Texts> sums_of_file(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  Md5 digest;
  std::vector<char> block(kDigestBytes);
  while (file.good()) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    digest.add({block.data(), static_cast<std::size_t>(file.gcount())});
  }
  return file.eof() ? std::optional(digest.finish()) : std::nullopt;
}

std::string md5_of_text(std::string_view text) {
  Md5 digest;
  digest.add(text);
  return digest.finish().base64;
}

}  // namespace stator::data

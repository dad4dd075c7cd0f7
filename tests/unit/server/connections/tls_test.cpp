// server/connections/tls.cpp: the self-signed certificate, and what is said about files that do not
// fit.

#include "server/connections/tls.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>

#include <catch2/catch.hpp>

namespace stator {
namespace {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tls_test_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) FAIL("no temporary folder");
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

struct Context {
  Context()
      : made(make_tls_context({.certificate_file = {}, .key_file = {}, .is_self_signed = true})) {
    REQUIRE(made.has_value());
    native = (*made)->native_handle();
  }

  void save(const std::string& certificate_file, const std::string& key_file) const {
    std::FILE* file = std::fopen(certificate_file.c_str(), "w");
    REQUIRE(file != nullptr);
    PEM_write_X509(file, SSL_CTX_get0_certificate(native));
    std::fclose(file);
    file = std::fopen(key_file.c_str(), "w");
    REQUIRE(file != nullptr);
    PEM_write_PrivateKey(file, SSL_CTX_get0_privatekey(native), nullptr, nullptr, 0, nullptr,
                         nullptr);
    std::fclose(file);
  }

  tl::expected<std::unique_ptr<boost::asio::ssl::context>, std::string> made;
  SSL_CTX* native = nullptr;
};

std::string problem(const std::string& certificate, const std::string& key) {
  const auto made = make_tls_context({certificate, key, /*is_self_signed=*/false});
  return made ? "" : made.error();
}

TEST_CASE("tls: a self-signed certificate for this machine", "[server]") {
  const Context context;
  X509* const certificate = SSL_CTX_get0_certificate(context.native);
  REQUIRE(certificate != nullptr);
  CHECK(SSL_CTX_check_private_key(context.native) == 1);
  CHECK(X509_check_host(certificate, "localhost", 0, 0, nullptr) == 1);
  CHECK(X509_check_ip_asc(certificate, "127.0.0.1", 0) == 1);
  CHECK(X509_check_ip_asc(certificate, "::1", 0) == 1);
  CHECK(X509_check_host(certificate, "example.com", 0, 0, nullptr) == 0);
  CHECK(X509_verify(certificate, X509_get0_pubkey(certificate)) == 1);
  CHECK(X509_cmp_current_time(X509_get0_notBefore(certificate)) < 0);
  CHECK(X509_cmp_current_time(X509_get0_notAfter(certificate)) > 0);
}

TEST_CASE("tls: files, and what is wrong with them", "[server]") {
  const Folder folder;
  const std::string certificate = folder.file("cert.pem");
  const std::string key = folder.file("key.pem");
  const std::string other_key = folder.file("other.pem");
  Context{}.save(folder.file("other-cert.pem"), other_key);
  Context{}.save(certificate, key);
  CHECK(problem(certificate, key).empty());
  CHECK(problem(folder.file("none"), key).find("cannot use the certificate") != std::string::npos);
  CHECK(problem(certificate, folder.file("none")).find("cannot use the key") != std::string::npos);
  CHECK_FALSE(problem(key, key).empty());
  const std::string mismatch = problem(certificate, other_key);
  CHECK_FALSE(mismatch.empty());
  CHECK(mismatch.find('\n') == std::string::npos);
}

}  // namespace
}  // namespace stator

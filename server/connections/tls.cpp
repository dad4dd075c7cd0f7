// See tls.h. The self-signed certificate is an EC P-256 one for localhost, 127.0.0.1 and ::1, valid
// for a year. Its key never leaves memory. It is no certificate authority, so a client that trusts
// it trusts this server alone.

#include "server/connections/tls.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <type_traits>

#include <boost/asio/ssl/error.hpp>

#include "server/log/log.h"

namespace stator {

namespace {

namespace ssl = boost::asio::ssl;
using BoostError = boost::system::error_code;

template <auto kFree>
struct Deleter {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Deleter<X509_EXTENSION_free>>;

constexpr long kSecondsValid = 365L * 24 * 60 * 60;
constexpr long kClockSkewSeconds = 24L * 60 * 60;

// The most recent error of OpenSSL.
std::string openssl_reason() {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason != nullptr ? reason : "unknown reason";
}

bool add_extension(X509* certificate, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const Extension extension{X509V3_EXT_conf_nid(nullptr, &context, nid, value)};
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool set_serial(X509* certificate) {
  std::int64_t serial = 0;
  auto* const bytes = reinterpret_cast<unsigned char*>(&serial);
  if (RAND_bytes(bytes, sizeof serial) != 1) return false;
  return ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate), serial & INT64_MAX) == 1;
}

bool set_names(X509* certificate) {
  X509_NAME* const name = X509_get_subject_name(certificate);
  const auto* const common_name = reinterpret_cast<const unsigned char*>("localhost");
  return X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_UTF8, common_name, -1, -1, 0) ==
             1 &&
         X509_set_issuer_name(certificate, name) == 1;
}

Certificate make_certificate(EVP_PKEY* key) {
  constexpr long kVersion3 = 2;
  Certificate certificate{X509_new()};
  X509* const raw = certificate.get();
  const bool is_made =
      raw != nullptr && X509_set_version(raw, kVersion3) == 1 && set_serial(raw) &&
      X509_gmtime_adj(X509_getm_notBefore(raw), -kClockSkewSeconds) != nullptr &&
      X509_gmtime_adj(X509_getm_notAfter(raw), kSecondsValid) != nullptr &&
      X509_set_pubkey(raw, key) == 1 && set_names(raw) &&
      add_extension(raw, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1") &&
      add_extension(raw, NID_basic_constraints, "critical,CA:FALSE") &&
      add_extension(raw, NID_key_usage, "critical,digitalSignature") &&
      add_extension(raw, NID_ext_key_usage, "serverAuth") &&
      add_extension(raw, NID_subject_key_identifier, "hash") &&
      X509_sign(raw, key, EVP_sha256()) != 0;
  if (!is_made) return nullptr;
  return certificate;
}

// The file appears complete or not at all. Returns the error; empty if none.
std::string write_certificate(X509* certificate, const std::string& path) {
  const std::string partial = path + ".partial";
  const auto failure = [&](const std::string& what) {
    ::unlink(partial.c_str());
    return "cannot write the certificate " + path + ": " + what;
  };
  const std::unique_ptr<BIO, Deleter<BIO_free>> file{BIO_new_file(partial.c_str(), "w")};
  if (!file) return "cannot write the certificate " + path + ": " + std::strerror(errno);
  if (PEM_write_bio_X509(file.get(), certificate) != 1 || BIO_flush(file.get()) != 1)
    return failure("the disk took only a part");
  if (std::rename(partial.c_str(), path.c_str()) != 0) return failure(std::strerror(errno));
  return {};
}

std::string use_self_signed(ssl::context& context, const TlsOptions& options) {
  const Key key{EVP_EC_gen("P-256")};
  if (!key) return "cannot make a key: " + openssl_reason();
  const Certificate certificate = make_certificate(key.get());
  SSL_CTX* const native = context.native_handle();
  if (!certificate || SSL_CTX_use_certificate(native, certificate.get()) != 1 ||
      SSL_CTX_use_PrivateKey(native, key.get()) != 1) {
    return "cannot make a certificate: " + openssl_reason();
  }
  if (options.certificate_out.empty()) return {};
  return write_certificate(certificate.get(), options.certificate_out);
}

// A readable key lets other users of this machine impersonate the server and read its traffic.
void warn_of_readable_key(const std::string& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0 || (found.st_mode & (S_IROTH | S_IWOTH)) == 0) return;
  log::warn("the key " + path + " is open to every user of this machine: chmod 600");
}

std::string use_files(ssl::context& context, const TlsOptions& options) {
  BoostError error;
  context.use_certificate_chain_file(options.certificate_file, error);
  if (error)
    return "cannot use the certificate " + options.certificate_file + ": " + error.message();
  context.use_private_key_file(options.key_file, ssl::context::pem, error);
  if (error) return "cannot use the key " + options.key_file + ": " + error.message();
  if (SSL_CTX_check_private_key(context.native_handle()) != 1) {
    return "the key " + options.key_file + " does not belong to the certificate " +
           options.certificate_file;
  }
  warn_of_readable_key(options.key_file);
  return {};
}

}  // namespace

tl::expected<std::unique_ptr<ssl::context>, std::string> make_tls_context(
    const TlsOptions& options) {
  auto context = std::make_unique<ssl::context>(ssl::context::tls_server);
  BoostError error;
  context->set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 |
                           ssl::context::no_sslv3 | ssl::context::no_tlsv1 |
                           ssl::context::no_tlsv1_1,
                       error);
  const std::string problem =
      options.is_self_signed ? use_self_signed(*context, options) : use_files(*context, options);
  if (!problem.empty()) return tl::unexpected("TLS: " + problem);
  return context;
}

bool is_plain_http(const BoostError& error) {
  return error.category() == boost::asio::error::get_ssl_category() &&
         ERR_GET_REASON(static_cast<unsigned long>(error.value())) == SSL_R_HTTP_REQUEST;
}

}  // namespace stator

#include "server/client/signature.h"

#include "engine/seams/iso_time.h"
#include "server/access/signing/signing.h"

namespace stator::data {

std::string authorization(const CanonicalRequest& request, const Credentials& credentials) {
  std::string lines;
  std::string names;
  for (const auto& [name, value] : request.fields) {
    lines.append(name).append(":").append(value).append("\n");
    names.append(names.empty() ? "" : ";").append(name);
  }
  const std::string time = iso_basic(request.unix_s);
  const access::SigningScope scope{std::string_view(time).substr(0, 8), request.region,
                                   request.service};
  const std::string scope_text = access::scope_text(scope);
  const std::string canonical = access::canonical_request(
      {request.method, request.path, request.query, lines, names, request.payload_sha256});
  const std::string signature =
      access::signature_of(access::signing_key(credentials.secret_key, scope),
                           access::string_to_sign(time, scope_text, canonical));
  std::string text(access::kSigningAlgorithm);
  text.append(" Credential=").append(credentials.access_key).append("/").append(scope_text);
  text.append(", SignedHeaders=").append(names);
  return text.append(", Signature=").append(signature);
}

std::vector<HttpField> signed_fields(const SignedRequest& request, const Credentials& credentials) {
  std::vector<HttpField> fields{{"content-type", std::string(request.content_type)},
                                {"host", request.host},
                                {"x-amz-date", iso_basic(request.unix_s)}};
  if (!credentials.session_token.empty())
    fields.emplace_back("x-amz-security-token", credentials.session_token);
  fields.emplace_back("x-amz-target", std::string(request.target));
  fields.emplace_back("authorization",
                      authorization({.method = "POST",
                                     .path = "/",
                                     .fields = fields,
                                     .payload_sha256 = access::sha256_hex(request.body),
                                     .region = request.region,
                                     .service = request.service,
                                     .unix_s = request.unix_s},
                                    credentials));
  return fields;
}

}  // namespace stator::data

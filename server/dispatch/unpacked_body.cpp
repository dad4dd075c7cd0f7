#include "server/dispatch/unpacked_body.h"

#include <string>
#include <string_view>

#include "protocol/service/limits.h"
#include "server/http/compression.h"
#include "server/http/header_text.h"

namespace stator {

Result<void> unpack_body(HttpRequest& request) {
  const std::string_view coding = request.header(Header::ContentEncoding);
  if (coding.empty() || equals_ignoring_case(coding, "identity")) return {};
  const bool is_gzip = equals_ignoring_case(coding, "gzip");
  if (request.has_repeated_encoding() || !(is_gzip || equals_ignoring_case(coding, "deflate"))) {
    return Error::internal_failure();
  }
  std::string unpacked;
  if (inflate_body(request.body(), is_gzip ? Encoding::Gzip : Encoding::Deflate,
                   limits::kRequestBodyBytesMax, unpacked) != Inflated::Ok) {
    return Error::internal_failure();
  }
  request.body().swap(unpacked);
  return {};
}

}  // namespace stator

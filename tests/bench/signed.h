// Signs the requests of the load, once each, before anything is measured.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "server/access/signing/signing.h"

namespace bench {

namespace access = stator::access;

inline constexpr std::string_view kAccessKey = "AKIAIOSFODNN7EXAMPLE";
inline constexpr std::string_view kSignedFields =
    "accept-encoding;amz-sdk-invocation-id;amz-sdk-request;content-length;content-type;host;"
    "x-amz-content-sha256;x-amz-date;x-amz-target;x-amz-user-agent";

// A header's value in the text of a request, whatever the case of its name; every one is there.
inline std::string value_in(std::string_view head, std::string_view name) {
  std::string lower(head);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  std::string line("\r\n");
  line.append(name).append(": ");
  const std::size_t begin = lower.find(line) + line.size();
  return std::string(head.substr(begin, head.find("\r\n", begin) - begin));
}

// The signature of a request at `time` for us-east-1.
inline std::string signature_for(std::string_view head, std::string_view body,
                                 std::string_view time, std::string_view secret) {
  std::string lines;
  for (std::string_view rest = kSignedFields; !rest.empty();) {
    const std::string_view name = rest.substr(0, rest.find(';'));
    rest.remove_prefix(name.size() == rest.size() ? name.size() : name.size() + 1);
    lines.append(name).append(":").append(value_in(head, name)).append("\n");
  }
  const access::SigningScope scope{time.substr(0, 8), "us-east-1", "dynamodb"};
  const std::string canonical =
      access::canonical_request({"POST", "/", "", lines, kSignedFields, access::sha256_hex(body)});
  return access::signature_of(access::signing_key(secret, scope),
                              access::string_to_sign(time, access::scope_text(scope), canonical));
}

}  // namespace bench

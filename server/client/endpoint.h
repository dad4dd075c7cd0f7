// Endpoint: a server of AWS's protocols, and the credentials to use with it.
#pragma once

#include <string>
#include <string_view>

#include "server/client/http_connection.h"
#include "server/client/signature.h"

namespace stator::data {

struct Endpoint {
  HealthOptions server;
  std::string region;
  Credentials credentials;
  CertificateCheck certificate_check = CertificateCheck::None;
  std::string_view user_agent = {};  // a constant of server/http/own_tools.h
  // Asks a Stator why it refuses a request. No other server knows that header.
  bool asks_why = false;
  // Lets a Stator decide requests without doing them. Any other server does them.
  bool is_dry_run = false;
};

}  // namespace stator::data

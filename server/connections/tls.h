// The TLS context, from PEM files or with a self-signed certificate made at start.
#pragma once

#include <memory>
#include <string>

#include <boost/asio/ssl/context.hpp>
#include <tl/expected.hpp>

#include "server/options/options.h"

namespace stator {

// REQUIRES: options.is_on(). TLS 1.2 and later. The error is one line for the user.
tl::expected<std::unique_ptr<boost::asio::ssl::context>, std::string> make_tls_context(
    const TlsOptions& options);

// Whether a handshake failed because the client speaks plain HTTP. Nothing was sent to it then.
bool is_plain_http(const boost::system::error_code& error);

}  // namespace stator

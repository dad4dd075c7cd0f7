// The TLS context: from PEM files, or with a certificate made at start.
#pragma once

#include <memory>
#include <string>

#include <boost/asio/ssl/context.hpp>
#include <tl/expected.hpp>

#include "server/options.h"

namespace stator {

// REQUIRES: options.is_on(). TLS 1.2 and later. The error is one line for the user.
tl::expected<std::unique_ptr<boost::asio::ssl::context>, std::string> make_tls_context(
    const TlsOptions& options);

}  // namespace stator

// Properties of a request that do not need its body: content type, target, host.
#pragma once

#include <string_view>

#include "server/http/http_request.h"

namespace stator {

// Whether the content type is accepted. If the target names another service, its type is accepted
// too, so that the client gets a readable error.
bool is_taken_type(const HttpRequest& request);

// The content type of the response: the request's, or JSON's.
std::string_view answer_type(const HttpRequest& request);

// Whether the request speaks CBOR, which only Kinesis does.
bool is_cbor_request(const HttpRequest& request);

// "Kinesis_20131202" for a request to that service; empty for DynamoDB and its streams.
std::string_view other_service(const HttpRequest& request);

// "GET"
std::string_view method_name(Method method);

// Whether the path is below /_stator/ or is /metrics, even if no such verb exists.
bool is_admin_request(const HttpRequest& request);

// Whether the path is of the Runtime API and its neighbours, with or without the prefix
// /_stator/function/NAME, even if nothing is there. With the prefix it is an admin request too.
bool is_runtime_request(const HttpRequest& request);

// Whether the path is that of the console or below it. Such a request is an admin request too.
bool is_console_request(const HttpRequest& request);

// Whether a browser opens the server's root as a page. No other client is mistaken for one: SDKs,
// health checks and Java's HttpURLConnection, which accepts text/html, say less or more.
bool is_page_visit(const HttpRequest& request);

// Whether a browser sends the request, for a page or for its user. A program that claims to be one
// is taken for one.
bool is_of_browser(const HttpRequest& request);

// GET or HEAD.
bool is_get(const HttpRequest& request);

// The Host header if it looks like a host, because DescribeEndpoints returns it; else empty.
std::string_view plain_host(std::string_view host);

}  // namespace stator

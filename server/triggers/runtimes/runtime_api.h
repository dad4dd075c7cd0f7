// The requests of processes to the Runtime API, version 2018-06-01, apart from the poll.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "server/http/http_request.h"
#include "server/triggers/runtimes/runtimes.h"

namespace stator::triggers {

enum class RuntimeAction : std::uint8_t { Next, Response, Error, InitError, Unknown };

// Views of the request.
struct RuntimePath {
  RuntimeAction action = RuntimeAction::Unknown;
  std::string_view function;  // of the prefix; empty: the bare path
  std::string_view request_id;
};

// REQUIRES: is_runtime_request(request).
RuntimePath runtime_path(const HttpRequest& request);

// The error object that the trailer of a response announces; empty: it announces none.
std::optional<std::string> error_in_trailer(const HttpRequest& request);

struct RuntimeReply {
  std::uint16_t status = 202;
  std::string body;  // JSON
};

// The name of the function whose processes use the path; empty: there is none.
std::string_view runtime_function(const Runtimes& runtimes, const RuntimePath& path);

// Does what the request says. REQUIRES: `path` is the request's, and not a poll. Takes the body.
RuntimeReply answer_runtime(Runtimes& runtimes, const RuntimePath& path, HttpRequest& request);

// To a poll on a connection whose process has a call already.
RuntimeReply poll_out_of_turn();
// To a path of a function that is none, or of no function.
RuntimeReply no_such_function();
// To a response of which the server has read only the beginning; `bytes` is how much it reads.
RuntimeReply refuse_long_response(Runtimes& runtimes, const RuntimePath& path, std::size_t bytes);

// The header lines of the answer to a poll.
std::string event_headers(const RuntimeEvent& event);

}  // namespace stator::triggers

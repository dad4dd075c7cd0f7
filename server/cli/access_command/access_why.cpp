#include "server/cli/access_command/access_why.h"

#include <cstddef>
#include <cstdio>
#include <string_view>
#include <utility>

#include "protocol/json/json_node_text.h"
#include "server/client/admin_client.h"
#include "server/data/s3/url_text.h"
#include "server/data/transfer/json_text.h"
#include "server/http/header_text.h"
#include "server/log/say.h"

namespace stator {

namespace {

std::string denials_path(const AccessWhyOptions& options) {
  std::string path("/_stator/access/denials?limit=");
  const bool has_request = !options.request_id.empty();
  path.append(has_request ? "100" : std::to_string(options.last));
  if (has_request) path.append("&request=").append(data::encode_url(options.request_id));
  if (!options.principal.empty())
    path.append("&principal=").append(data::encode_url(options.principal));
  if (!options.is_json) path.append("&format=text");
  return path;
}

// The lines of a text that has values of requests.
void say_lines(std::string_view text) {
  while (!text.empty()) say(next_part(text, '\n'));
}

}  // namespace

int run_access_why(AccessWhyOptions options, const FindServer& find) {
  if (!options.server.is_chosen) options.server = find(std::move(options.server));
  std::size_t count = 0;
  const auto asked =
      ask_admin(options.server, denials_path(options), {}, [&](const JsonNode& reply) {
        count = data::count_in(reply, "count");
        if (!options.is_json) return say_lines(data::text_in(reply, "text"));
        std::string text;
        append_node_json(text, reply);
        std::fputs(text.append("\n").c_str(), stdout);
      });
  if (!asked) return fail(asked.error());
  if (count == 0 && !options.is_json) say("no such denial is among the last 100");
  return count > 0 ? 0 : 1;
}

}  // namespace stator

#include "server/cli/commands/health.h"

#include <utility>

#include "server/cli/commands/serving_process.h"
#include "server/client/local_client.h"
#include "server/log/say.h"
#include "server/options/server_address.h"

namespace stator {

tl::expected<void, std::string> check_health(const HealthOptions& options) {
  const auto answer = ask_server(options, "/healthz");
  std::string why;
  if (!answer) {
    why = answer.error();
  } else if (answer->status != 200) {
    why = "GET /healthz answered status " + std::to_string(answer->status);
  } else {
    return {};
  }
  return tl::unexpected(address_text(options) + " is not healthy: " + why);
}

int run_health(HealthOptions options) {
  if (!options.is_chosen) options = aimed_at_serving_process(std::move(options));
  const auto health = check_health(options);
  if (health) {
    say(address_text(options) + " is healthy");
    return 0;
  }
  return fail(health.error());
}

}  // namespace stator

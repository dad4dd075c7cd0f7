#include "server/health.h"

#include <cstdio>
#include <utility>

#include "server/own_client.h"
#include "server/serving_process.h"

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
    std::fputs((address_text(options) + " is healthy\n").c_str(), stdout);
    return 0;
  }
  std::fputs(("stator: " + health.error() + "\n").c_str(), stderr);
  return 1;
}

}  // namespace stator

// The condition keys that every request has: about its sender, its connection and its time.
#pragma once

#include <string_view>
#include <vector>

#include "engine/seams/clock.h"
#include "protocol/access/request_context.h"
#include "server/access/principals/directory.h"
#include "server/http/http_request.h"

namespace stator::access {

// The condition keys that policies look at, so that a context need not have others.
class WantedKeys {
 public:
  // All keys.
  WantedKeys() = default;
  // The keys of the sender's policies. These must outlive this.
  explicit WantedKeys(const Identity& identity);

  // Those of the policy, too. It must outlive this.
  void add(const Policy& policy);

  // Whether some policy may look at the key of this name, in any case of letters.
  bool has(std::string_view name) const;

 private:
  bool is_all_ = true;
  std::vector<std::string_view> heads_;  // in lower case; up to a slash; after it tags differ
};

// Adds the global keys: aws:PrincipalArn, aws:SourceIp, aws:CurrentTime and the like. `now` is by
// the engine's clock.
void add_global_keys(RequestContext& context, const Identity& identity, const HttpRequest& request,
                     std::string_view region, Timestamp now, const WantedKeys& wanted = {});

// Those of them that need no request: about the sender, and the time.
void add_identity_keys(RequestContext& context, const Identity& identity, Timestamp now,
                       const WantedKeys& wanted = {});

// What an evaluation needs of the sender.
Policies policies_of(const Identity& identity);

}  // namespace stator::access

// /_stator/mcp: the Model Context Protocol over HTTP.
#include "server/admin/verbs.h"

namespace stator {

AdminResponse serve_agent(AdminRequest& request) {
  if (request.parts.agents == nullptr) return admin_error(404, "this server serves no agents");
  return request.parts.agents->answer(*request.http);
}

}  // namespace stator

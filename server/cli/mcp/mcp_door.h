// McpDoor: POST /_stator/mcp, the tools of `stator mcp` over HTTP.
//
// Each request stands alone: the server keeps no session of a client. It has passed the rules of
// the admin path on hosts, origins and tokens before.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "server/client/endpoint.h"
#include "server/dispatch/admin.h"
#include "server/http/origin_policy.h"

namespace stator::mcp {

class McpDoor final : public AgentDoor {
 public:
  // `origins` has the server's token.
  explicit McpDoor(const OriginOptions& origins);
  ~McpDoor() override;

  // Call before the first request. `endpoint`: this server as its own client. Tools may write if
  // the server is of this machine alone, and otherwise for requests with the token.
  void open(data::Endpoint endpoint, bool is_of_this_machine);

  AdminResponse answer(const HttpRequest& request) override;

 private:
  struct Desk;

  // The one for such a request, made when the first one comes: it takes file descriptors.
  Desk& desk(bool may_write);

  const OriginPolicy policy_;
  data::Endpoint endpoint_;
  bool is_of_this_machine_ = true;
  std::mutex mutex_;                  // one call at a time
  std::atomic<unsigned> callers_{0};  // at work or waiting
  std::unique_ptr<Desk> writing_;
  std::unique_ptr<Desk> reading_;
};

}  // namespace stator::mcp

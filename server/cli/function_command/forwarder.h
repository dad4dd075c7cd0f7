// Forwarder: the Runtime API for one process at a time, on a loopback port of its own. It sends the
// requests to the server, below the function's prefix. So clients may use any path they know, and
// the server sees one connection that lasts as long as the process.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "server/client/http_connection.h"
#include "server/http/http_request.h"

namespace stator {

class Forwarder {
 public:
  // What is known of the process.
  struct Seen {
    std::string request_id = {};   // of its last call; empty: it has had none
    bool is_working = false;       // on that call
    std::int64_t deadline_ms = 0;  // of that call, since 1970
    bool has_polled = false;
    bool has_answered = false;      // a call, or has had one
    bool has_failed_start = false;  // and has said so
  };

  // All are called on threads of this, and `output` also by fail_call().
  struct Listener {
    std::function<void()> before_call;    // the process, which waits, is about to get one
    std::function<std::string()> output;  // the last of what it has written since then
    std::function<void()> on_change;      // it has got or ended one
  };
  // Opens the port; throws std::system_error.
  Forwarder(const HealthOptions& server, std::string function, Listener listener);
  ~Forwarder();
  Forwarder(const Forwarder&) = delete;
  Forwarder& operator=(const Forwarder&) = delete;

  std::uint16_t port() const { return port_; }
  Seen seen() const;
  // Before a process starts: forgets the one before, and ends its connections.
  void begin_process();
  // After it has ended. The server sees that.
  void end_process();
  // Sends the server an error object: why the process could not start, or why it ended in its call.
  void fail_start(const std::string& error);
  void fail_call(const std::string& request_id, const std::string& error);

 private:
  struct Client;
  struct Reply {
    unsigned status = 0;
    std::string body;
    std::string fields = {};  // lines
  };

  void accept();
  void serve(Client& client);
  Reply try_answer(HttpRequest& request);
  Reply answer(HttpRequest& request);
  std::optional<HttpClientResponse> poll(const std::string& path);
  Reply bring(const HttpRequest& request, const std::string& path, const std::string& body);
  Reply begin_call(const HttpClientResponse& event);
  HttpClientResponse post(const std::string& path, std::string_view type, const std::string& body,
                          std::string_view output);
  void close_clients();
  HealthOptions patient_server() const;

  const HealthOptions server_;
  const std::string function_;
  const Listener listener_;
  std::vector<HttpField> fields_;  // of each request
  int socket_ = -1;
  std::uint16_t port_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_ending_ = false;  // guarded by mutex_, like the next four
  bool is_idle_ = true;     // no process
  Seen seen_;
  std::list<Client> clients_;
  std::shared_ptr<HttpConnection> polls_;
  std::mutex poll_mutex_;  // held during a poll
  std::thread thread_;
};

}  // namespace stator

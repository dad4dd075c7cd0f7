// SessionPoll: suspends a session's coroutine until there is a call of a function for its client,
// or the client has gone. For the poll of the Runtime API, which may take hours.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "server/connections/session.h"
#include "server/connections/tasks.h"
#include "server/threads/worker.h"
#include "server/triggers/runtimes/runtimes.h"

namespace stator {

// Shared with what may still resume it when the session has gone on. All but make() is for the
// worker's thread.
class SessionPoll final : public std::enable_shared_from_this<SessionPoll> {
  struct Key {};  // only make() has one

 public:
  SessionPoll(Key, Worker& worker, triggers::Runtimes& runtimes)
      : worker_(worker), runtimes_(runtimes) {}
  // Both must outlive the session.
  static std::shared_ptr<SessionPoll> make(Worker& worker, triggers::Runtimes& runtimes,
                                           std::string function) {
    auto made = std::make_shared<SessionPoll>(Key(), worker, runtimes);
    const auto wake = [&worker, poll = std::weak_ptr(made)] {
      worker.post([poll] {
        if (const auto alive = poll.lock()) alive->resume();
      });
    };
    made->poll_ = std::make_shared<triggers::RuntimePoll>(std::move(function), wake);
    return made;
  }
  ~SessionPoll() {
    if (!is_over_) runtimes_.leave(*poll_);
  }
  SessionPoll(const SessionPoll&) = delete;
  SessionPoll& operator=(const SessionPoll&) = delete;

  // REQUIRES: awaited at once, and only once. Whatever the client sends meanwhile ends the wait, as
  // its departure does: it has nothing to say before the answer.
  // nullptr: cancel() says that the client has gone.
  Task<void> done(Socket::lowest_layer_type* socket) {
    return boost::asio::async_initiate<UseTask, void()>(
        [this, socket](auto&& handler) {
          handler_.emplace(std::forward<decltype(handler)>(handler));
          socket_ = socket;
          runtimes_.begin(poll_);
          if (socket == nullptr) return;
          socket->async_wait(boost::asio::socket_base::wait_read,
                             [self = shared_from_this()](const auto& error) {
                               if (!error) self->end();
                             });
        },
        token_);
  }
  // The call, which is the client's from now on. Empty: there is none for this client.
  std::optional<triggers::RuntimeEvent> take() {
    is_over_ = true;
    if (!has_ended_) return runtimes_.take(*poll_);
    runtimes_.leave(*poll_);
    return {};
  }
  // Ends the wait a moment later.
  void cancel() {
    worker_.post([self = shared_from_this()] { self->end(); });
  }

 private:
  void end() {
    has_ended_ = true;
    resume();
  }
  void resume() {
    if (!handler_) return;
    auto handler = *std::exchange(handler_, std::nullopt);
    boost::system::error_code ignored;
    if (socket_ != nullptr) socket_->cancel(ignored);  // the wait for the client
    std::move(handler)();
  }

  Worker& worker_;
  triggers::Runtimes& runtimes_;
  std::shared_ptr<triggers::RuntimePoll> poll_;
  Socket::lowest_layer_type* socket_ = nullptr;
  bool has_ended_ = false;  // without a call
  bool is_over_ = false;    // Runtimes does not know the poll any more
  UseTask token_;
  std::optional<boost::asio::async_result<UseTask, void()>::handler_type> handler_;
};

}  // namespace stator

// What a session's coroutine awaits besides its socket: the commit of a write, or work in a lane (a
// long read, an admin verb). Each resumes the coroutine on the worker's thread.
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "server/connections/tasks.h"
#include "server/dispatch/dispatcher.h"
#include "server/http/http_request.h"
#include "server/log/log.h"
#include "server/threads/lane.h"
#include "server/threads/worker.h"

namespace stator {

// The client of a request that another thread works on. The work should stop once the session has
// called leave() or the client has closed its end. A client that only shuts down its sending side
// looks the same and counts as gone, as proxies treat it too. Any thread may use this, but leave()
// is for the worker's.
class Client final : public StopCondition {
 public:
  explicit Client(int socket) : socket_(socket) {}

  void leave() { has_left_.store(true, std::memory_order_relaxed); }
  bool has_left() const { return has_left_.load(std::memory_order_relaxed); }

  bool should_stop() noexcept override {
    if (has_left()) return true;
    char byte = 0;
    return ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }

 private:
  const int socket_;  // open during the client's lifetime, see Session::close()
  std::atomic<bool> has_left_{false};
};

// As Client, for a write. Most writes end before a system call is worthwhile.
class WritingClient final : public StopCondition {
 public:
  // Both must outlive this.
  WritingClient(Client& client, const Work& work) : client_(client), work_(work) {}

  bool should_stop() noexcept override {
    const bool is_brief = work_.steps() < Work::kStepsBetweenQuestions;
    return is_brief ? client_.has_left() : client_.should_stop();
  }

 private:
  Client& client_;
  const Work& work_;
};

// Suspends the coroutine until the worker resumes it after the commit.
class SessionCommit final : public Commit {
 public:
  // `is_long`: the write is known to take long.
  SessionCommit(Worker& worker, Call& call, int socket, bool is_long)
      : Commit(worker, worker.engine(), call, is_long), call_(call), client_(socket) {
    call_.work.set_stop_condition(&stop_condition_);
  }
  ~SessionCommit() override { call_.work.set_stop_condition(nullptr); }
  SessionCommit(const SessionCommit&) = delete;
  SessionCommit& operator=(const SessionCommit&) = delete;

  Client& client() { return client_; }
  // Whether the write failed and its client is gone.
  bool is_unwanted() { return client_.has_left() && error(); }

  // REQUIRES: awaited at once, and only once.
  Task<void> committed(Worker& worker) {
    return boost::asio::async_initiate<UseTask, void()>(
        [this, &worker](auto&& handler) {
          handler_.emplace(std::forward<decltype(handler)>(handler));
          worker.push(*this);
        },
        token_);
  }

  void resume() override {
    auto handler = *std::exchange(handler_, std::nullopt);
    std::move(handler)();
  }

 private:
  Call& call_;
  Client client_;
  WritingClient stop_condition_{client_, call_.work};
  UseTask token_;
  std::optional<boost::asio::async_result<UseTask, void()>::handler_type> handler_;
};

// Suspends the coroutine until a lane has done the work.
class SessionWork final : public LaneJob {
 public:
  SessionWork(Worker& worker, Lane& lane, HttpRequest& request, Exchange& exchange, Client& client)
      : worker_(worker), lane_(lane), request_(request), exchange_(exchange), client_(client) {}

  // REQUIRES: awaited at once, and only once.
  Task<void> done() {
    return boost::asio::async_initiate<UseTask, void()>(
        [this](auto&& handler) {
          handler_.emplace(std::forward<decltype(handler)>(handler));
          lane_.push(*this);
        },
        token_);
  }
  // Empty if there was no memory even for an error's text.
  std::optional<Dispatcher::Step> step() const { return step_; }

  void run(Dispatcher& dispatcher) noexcept override {
    try {
      step_ = dispatcher.work_on(request_, exchange_, client_);
    } catch (const std::exception& error) {
      log::error(std::string{"request failed: "} + error.what());
    }
    worker_.post([this] {
      auto handler = *std::exchange(handler_, std::nullopt);
      std::move(handler)();
    });
  }

 private:
  Worker& worker_;
  Lane& lane_;
  HttpRequest& request_;
  Exchange& exchange_;
  Client& client_;
  std::optional<Dispatcher::Step> step_;
  UseTask token_;
  std::optional<boost::asio::async_result<UseTask, void()>::handler_type> handler_;
};

}  // namespace stator

// What a session waits for besides its socket: the commit of a write, a long read in the lane, a
// verb of the admin path. Awaited in its coroutine; each resumes it on the worker's thread.
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

#include "server/dispatcher.h"
#include "server/http_request.h"
#include "server/lane.h"
#include "server/log.h"
#include "server/worker.h"

namespace stator {

template <class T>
using Task = boost::asio::awaitable<T, Worker::Executor>;
using UseTask = boost::asio::use_awaitable_t<Worker::Executor>;

// Whoever waits for an answer while others work for it: here until it leaves, or until its end of
// the connection is gone. A closed connection and one that will only send no more look the same;
// proxies take both for the first, and so does this. From any thread but leave().
class Client final : public Audience {
 public:
  explicit Client(int socket) : socket_(socket) {}

  void leave() { has_left_.store(true, std::memory_order_relaxed); }
  bool has_left() const { return has_left_.load(std::memory_order_relaxed); }

  bool is_waiting() noexcept override {
    if (has_left()) return false;
    char byte = 0;
    return ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0;
  }

 private:
  const int socket_;  // open while this is in use, see Session::close()
  std::atomic<bool> has_left_{false};
};

// The same for a write. Most are over before it is worth asking the system.
class WritingClient final : public Audience {
 public:
  // Both must outlive this.
  WritingClient(Client& client, const Work& work) : client_(client), work_(work) {}

  bool is_waiting() noexcept override {
    const bool is_brief = work_.steps() < Work::kStepsBetweenQuestions;
    return is_brief ? !client_.has_left() : client_.is_waiting();
  }

 private:
  Client& client_;
  const Work& work_;
};

// Suspends the coroutine until the worker resumes it behind the commit.
class SessionCommit final : public Commit {
 public:
  SessionCommit(Worker& worker, Call& call, int socket)
      : Commit(worker, worker.engine(), call), call_(call), client_(socket) {
    call_.work.listen_to(&audience_);
  }
  ~SessionCommit() override { call_.work.listen_to(nullptr); }
  SessionCommit(const SessionCommit&) = delete;
  SessionCommit& operator=(const SessionCommit&) = delete;

  Client& client() { return client_; }
  // Nobody waits for what came to nothing.
  bool is_unwanted() { return client_.has_left() && error(); }

  // REQUIRES: awaited at once, one time.
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
  WritingClient audience_{client_, call_.work};
  UseTask token_;
  std::optional<boost::asio::async_result<UseTask, void()>::handler_type> handler_;
};

// Suspends the coroutine until a lane has done its work.
class SessionWork final : public LaneJob {
 public:
  SessionWork(Worker& worker, Lane& lane, HttpRequest& request, Exchange& exchange, Client& client)
      : worker_(worker), lane_(lane), request_(request), exchange_(exchange), client_(client) {}

  // REQUIRES: awaited at once, one time.
  Task<void> done() {
    return boost::asio::async_initiate<UseTask, void()>(
        [this](auto&& handler) {
          handler_.emplace(std::forward<decltype(handler)>(handler));
          lane_.push(*this);
        },
        token_);
  }
  // Empty: memory was not there even for an error's text.
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

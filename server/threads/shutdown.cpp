// See shutdown.h.

#include "server/threads/shutdown.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <mutex>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "server/log/log.h"
#include "server/log/output.h"

namespace stator {

namespace {

namespace asio = boost::asio;
using ErrorCodeOrOk = boost::system::error_code;

// Both from the signal on; the process must end within a second.
constexpr std::chrono::milliseconds kUntilInsisting{500};
constexpr std::chrono::milliseconds kUntilGone{850};
constexpr std::chrono::milliseconds kOutputPatience{50};

}  // namespace

struct Shutdown::Impl {
  void begin() {
    if (std::exchange(is_begun, true)) return;
    ErrorCodeOrOk ignored;
    signals.clear(ignored);
    hangups.clear(ignored);
    const auto now = std::chrono::steady_clock::now();
    insisting.expires_at(now + kUntilInsisting);
    insisting.async_wait([this](const ErrorCodeOrOk& error) {
      if (!error) call(force_close);
    });
    gone.expires_at(now + kUntilGone);
    gone.async_wait([this](const ErrorCodeOrOk& error) {
      if (error) return;
      log::warn("the shutdown deadline has passed: ending with requests in progress");
      output::finish(kOutputPatience);
      ::_exit(exit_status);
    });
    call(ask);
  }

  void await_hangup() {
    hangups.async_wait([this](const ErrorCodeOrOk& error, int) {
      if (error) return;
      reload();
      await_hangup();
    });
  }

  void call(std::function<void()>& what) {
    const std::scoped_lock lock(mutex);
    if (const auto once = std::exchange(what, nullptr)) once();
  }

  std::mutex mutex;
  std::function<void()> ask;          // guarded by `mutex`
  std::function<void()> force_close;  // guarded by `mutex`
  bool is_begun = false;              // belongs to `thread`
  int exit_status = 0;                // belongs to `thread`
  asio::io_context context{1};
  asio::signal_set signals{context};
  asio::signal_set hangups{context};
  std::function<void()> reload;  // belongs to `thread` once that runs
  asio::steady_timer insisting{context};
  asio::steady_timer gone{context};
  std::thread thread;
};

Shutdown::Shutdown() : impl_(std::make_unique<Impl>()) {}

Shutdown::~Shutdown() {
  impl_->context.stop();
  if (impl_->thread.joinable()) impl_->thread.join();
}

void Shutdown::start(std::function<void()> ask, std::function<void()> force_close) {
  impl_->ask = std::move(ask);
  impl_->force_close = std::move(force_close);
  impl_->signals.add(SIGINT);
  impl_->signals.add(SIGTERM);
  impl_->signals.async_wait([this](const ErrorCodeOrOk& error, int) {
    if (!error) impl_->begin();
  });
  if (impl_->reload) {
    impl_->hangups.add(SIGHUP);
    impl_->await_hangup();
  }
  impl_->thread = std::thread([this] { impl_->context.run(); });
}

void Shutdown::on_hangup(std::function<void()> reload) { impl_->reload = std::move(reload); }

void Shutdown::stop(int exit_status) {
  asio::post(impl_->context, [this, exit_status] {
    impl_->exit_status = exit_status;
    impl_->begin();
  });
}

void Shutdown::served() {
  const std::scoped_lock lock(impl_->mutex);
  impl_->ask = nullptr;
  impl_->force_close = nullptr;
}

}  // namespace stator

// See shutdown.h.

#include "server/shutdown.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <mutex>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "server/log.h"

namespace stator {

namespace {

namespace asio = boost::asio;
using ErrorCodeOrOk = boost::system::error_code;

// Both since the signal; the process is to be gone within a second.
constexpr std::chrono::milliseconds kUntilInsisting{500};
constexpr std::chrono::milliseconds kUntilGone{850};

}  // namespace

struct Shutdown::Impl {
  void begin() {
    ErrorCodeOrOk ignored;
    signals.clear(ignored);
    const auto now = std::chrono::steady_clock::now();
    insisting.expires_at(now + kUntilInsisting);
    insisting.async_wait([this](const ErrorCodeOrOk& error) {
      if (!error) call(insist);
    });
    gone.expires_at(now + kUntilGone);
    gone.async_wait([](const ErrorCodeOrOk& error) {
      if (error) return;
      log::warn("ends without waiting for what is still at work");
      ::_exit(0);
    });
    call(ask);
  }

  void call(std::function<void()>& what) {
    const std::scoped_lock lock(mutex);
    if (const auto once = std::exchange(what, nullptr)) once();
  }

  std::mutex mutex;
  std::function<void()> ask;     // guarded by `mutex`
  std::function<void()> insist;  // guarded by `mutex`
  asio::io_context context{1};
  asio::signal_set signals{context};
  asio::steady_timer insisting{context};
  asio::steady_timer gone{context};
  std::thread thread;
};

Shutdown::Shutdown() : impl_(std::make_unique<Impl>()) {}

Shutdown::~Shutdown() {
  impl_->context.stop();
  if (impl_->thread.joinable()) impl_->thread.join();
}

void Shutdown::start(std::function<void()> ask, std::function<void()> insist) {
  impl_->ask = std::move(ask);
  impl_->insist = std::move(insist);
  impl_->signals.add(SIGINT);
  impl_->signals.add(SIGTERM);
  impl_->signals.async_wait([this](const ErrorCodeOrOk& error, int) {
    if (!error) impl_->begin();
  });
  impl_->thread = std::thread([this] { impl_->context.run(); });
}

void Shutdown::served() {
  const std::scoped_lock lock(impl_->mutex);
  impl_->ask = nullptr;
  impl_->insist = nullptr;
}

}  // namespace stator

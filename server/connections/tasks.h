// Coroutines on a worker's thread.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "server/threads/worker.h"

namespace stator {

template <class T>
using Task = boost::asio::awaitable<T, Worker::Executor>;
using UseTask = boost::asio::use_awaitable_t<Worker::Executor>;

// The operation's result is a tuple that begins with its error; nothing is thrown.
inline constexpr boost::asio::as_tuple_t<UseTask> use_tuple{UseTask{}};

}  // namespace stator

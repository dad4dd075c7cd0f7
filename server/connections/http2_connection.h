// Http2Connection: a connection whose client speaks HTTP/2 without asking first. It moves bytes
// between the socket and Http2Session; a session (session.h) serves each stream.
//
// Its bounds: the idle deadline without streams, the request deadline for a header and for each
// piece of output that the client takes, those of Http2Session. Sessions have theirs.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "server/connections/session.h"
#include "server/http2/http2_session.h"
#include "server/threads/worker.h"

namespace stator {

class Http2Line;
struct Http2End;

class Http2Connection final : public SessionBase,
                              public http2::StreamEvents,
                              public std::enable_shared_from_this<Http2Connection> {
 public:
  using Serve = std::function<void(Http2Line)>;  // starts the session of a stream

  // Takes over a connection whose first bytes are `received`. All on the worker's thread.
  static void start(Worker& worker, Socket socket, ConnectionPlace place, Serve serve,
                    std::string_view received);

  Http2Connection(Worker& worker, Socket socket, ConnectionPlace place, Serve serve);
  ~Http2Connection() override;

  // These are for the lines of streams.
  Worker& worker() { return worker_; }
  Socket& socket() { return socket_; }
  http2::Http2Session& streams() { return streams_; }
  std::uint64_t number() const { return place_.number(); }
  void add(http2::StreamId stream, Http2End& end) { ends_[stream] = &end; }
  void remove(http2::StreamId stream);
  // Sends what the streams have for the client.
  void flush();

 private:
  void begun(http2::StreamId stream) override;
  void readable(http2::StreamId stream) override;
  void written(http2::StreamId stream) override;
  void gone(http2::StreamId stream) override;

  void close() override;
  void leave() override;

  void begin(http2::StreamId stream);
  void read();
  void received(std::string_view bytes);
  void send();
  void end_politely();
  void shut();
  bool has_unread();
  void set_deadline();

  Worker& worker_;
  Socket socket_;
  ConnectionPlace place_;
  Serve serve_;
  http2::Http2Session streams_{*this};
  std::unordered_map<http2::StreamId, Http2End*> ends_;
  std::array<char, 16 * 1024> input_;
  std::string output_;  // that is being sent
  std::size_t discarded_bytes_ = 0;
  std::int64_t send_deadline_ = kNoDeadline;
  std::int64_t head_deadline_ = kNoDeadline;
  std::int64_t idle_deadline_ = kNoDeadline;
  bool is_going_ = false;   // the client knows that no further streams are taken
  bool is_ending_ = false;  // all is said; what the client still sends is dropped
  bool is_closed_ = false;
};

}  // namespace stator

// Http2Session: the server's side of one connection of HTTP/2, without its socket.
//
// Bytes of the client go in, bytes for it come out. Each stream carries one request: its reader
// gets the request as text of HTTP/1.1, and gives the response in the same form. nghttp2 does
// frames, header compression and flow control; a client that floods it loses the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "server/http2/request_head.h"

struct nghttp2_session;

namespace stator::http2 {

struct SessionCallbacks;
using StreamId = std::int32_t;

// The first bytes of a connection whose client knows that the server speaks HTTP/2.
inline constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
// Requests at once on a connection.
inline constexpr std::uint32_t kStreamsMax = 100;

// What happens to streams. Called during calls of the session; must not call it.
class StreamEvents {
 public:
  virtual ~StreamEvents() = default;
  // A request's head can be read.
  virtual void begun(StreamId stream) = 0;
  // More of a request can be read, or it is complete.
  virtual void readable(StreamId stream) = 0;
  // The client gets all that write() was given.
  virtual void written(StreamId stream) = 0;
  // The stream does not exist any more.
  virtual void gone(StreamId stream) = 0;
};

class Http2Session {
 public:
  explicit Http2Session(StreamEvents& events);  // which must outlive this
  ~Http2Session();
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  // Takes bytes of the client, which begin with the preface. Returns false if the connection is to
  // end once the output is sent.
  bool feed(std::string_view bytes);
  // The next bytes for the client, valid until the next call; empty: none for now.
  std::string_view output();
  // Whether nothing follows in either direction, or memory for output is missing.
  bool is_over() const;

  // Takes no further streams and tells the client so.
  void go_away();

  // Whether the client has begun a stream that has not ended.
  bool has_streams() const { return !streams_.empty(); }
  // Whether the client is in the middle of a header.
  bool is_in_head() const { return head_of_ != 0; }

  // The rest is for a stream that begun() named; nothing happens if it is gone.

  // Moves bytes of the request to `room` and returns how many.
  std::size_t read(StreamId stream, std::span<char> room);
  // Whether read() will get nothing any more.
  bool is_read(StreamId stream) const;
  // Sends bytes of the response, which stay valid until written(). REQUIRES: what the last call was
  // given is written.
  void write(StreamId stream, std::string_view bytes);
  // Nothing follows. Resets the stream if the response is not complete, or, once it is sent, if the
  // client still sends the request.
  void finish(StreamId stream);

 private:
  friend struct SessionCallbacks;

  struct Stream {
    RequestHead head;
    std::string input;             // of the request, not read yet
    std::size_t window_bytes = 0;  // received data for which the client has no room again
    std::string answer_head;       // until it is complete
    std::string_view unsent;       // of the response's body
    std::uint64_t body_bytes_left = 0;
    bool is_in_chunks = false;  // the input names the size of each piece of its body
    bool was_read = false;
    bool is_request_whole = false;
    bool is_answered = false;  // the response's head is complete
    bool is_finished = false;  // by its writer
    bool is_sent = false;      // the whole response
  };

  Stream* find(StreamId stream);
  bool begin_request(StreamId id, Stream& stream, bool has_body);
  void take_data(StreamId id, std::string_view bytes);
  void end_request(StreamId id);
  bool take_answer_head(StreamId id, Stream& stream, std::string_view& bytes);
  std::size_t give_body(StreamId id, std::span<std::uint8_t> room, bool& is_last);
  void end_unread(StreamId id, const Stream& stream);
  void give_window_back(StreamId id, Stream& stream);
  void reset(StreamId stream, std::uint32_t code);

  struct Deleter {
    void operator()(nghttp2_session* session) const;
  };

  StreamEvents& events_;
  std::map<StreamId, Stream> streams_;
  StreamId head_of_ = 0;     // the stream whose header is coming
  bool has_failed_ = false;  // output() did
  std::unique_ptr<nghttp2_session, Deleter> session_;
};

}  // namespace stator::http2

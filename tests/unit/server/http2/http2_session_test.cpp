// server/http2: requests of a client that nghttp2 plays, as text of HTTP/1.1, and the way back.

#include "server/http2/http2_session.h"

#include <nghttp2/nghttp2.h>

#include <array>
#include <map>
#include <vector>

#include <catch2/catch.hpp>

#include "server/http2/answer_head.h"

namespace stator::http2 {
namespace {

struct Events final : StreamEvents {
  void begun(StreamId stream) override { seen.push_back("begun " + std::to_string(stream)); }
  void readable(StreamId) override {}
  void written(StreamId stream) override { seen.push_back("written " + std::to_string(stream)); }
  void gone(StreamId stream) override { seen.push_back("gone " + std::to_string(stream)); }
  std::vector<std::string> seen;
};

// The client's side, with what it has got.
struct TestClient {
  TestClient() {
    nghttp2_session_callbacks* callbacks = nullptr;
    REQUIRE(nghttp2_session_callbacks_new(&callbacks) == 0);
    nghttp2_session_callbacks_set_on_header_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                      std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                      std::uint8_t, void* user) {
          auto& text = static_cast<TestClient*>(user)->got[frame->hd.stream_id];
          text.append(name, name + name_size).append("=");
          text.append(value, value + value_size).append(";");
          return 0;
        });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        callbacks, [](nghttp2_session*, std::uint8_t, std::int32_t stream,
                      const std::uint8_t* bytes, std::size_t count, void* user) {
          static_cast<TestClient*>(user)->got[stream].append(bytes, bytes + count);
          return 0;
        });
    nghttp2_session_callbacks_set_on_stream_close_callback(
        callbacks, [](nghttp2_session*, std::int32_t stream, std::uint32_t code, void* user) {
          static_cast<TestClient*>(user)->ended[stream] = code;
          return 0;
        });
    REQUIRE(nghttp2_session_client_new(&session, callbacks, this) == 0);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, nullptr, 0);
  }
  ~TestClient() { nghttp2_session_del(session); }
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  using Fields = std::vector<std::pair<std::string, std::string>>;
  StreamId ask(Fields fields, std::string text = {}) {
    std::vector<nghttp2_nv> pairs;
    for (auto& [name, value] : fields) {
      pairs.push_back({reinterpret_cast<std::uint8_t*>(name.data()),
                       reinterpret_cast<std::uint8_t*>(value.data()), name.size(), value.size(),
                       NGHTTP2_NV_FLAG_NONE});
    }
    body = std::move(text);
    nghttp2_data_provider data{};
    data.source.ptr = this;
    data.read_callback = [](nghttp2_session*, std::int32_t, std::uint8_t* room, std::size_t size,
                            std::uint32_t* flags, nghttp2_data_source* source, void*) {
      std::string& rest = static_cast<TestClient*>(source->ptr)->body;
      const std::size_t count = std::min(rest.size(), size);
      std::copy_n(rest.data(), count, room);
      rest.erase(0, count);
      if (rest.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
      return static_cast<ssize_t>(count);
    };
    return nghttp2_submit_request(session, nullptr, pairs.data(), pairs.size(),
                                  body.empty() ? nullptr : &data, nullptr);
  }

  nghttp2_session* session = nullptr;
  std::string body;
  std::map<StreamId, std::string> got;
  std::map<StreamId, std::uint32_t> ended;
};

struct Pair {
  Events events;
  Http2Session server{events};
  TestClient client;

  // Moves bytes both ways until neither side has any.
  void exchange() {
    for (bool has_moved = true; has_moved;) {
      has_moved = false;
      const std::uint8_t* bytes = nullptr;
      for (ssize_t count = 0; (count = nghttp2_session_mem_send(client.session, &bytes)) > 0;) {
        has_moved = true;
        const auto* const first = reinterpret_cast<const char*>(bytes);
        REQUIRE(server.feed({first, static_cast<std::size_t>(count)}));
      }
      for (std::string_view piece; !(piece = server.output()).empty();) {
        has_moved = true;
        const auto* const first = reinterpret_cast<const std::uint8_t*>(piece.data());
        REQUIRE(nghttp2_session_mem_recv(client.session, first, piece.size()) ==
                static_cast<ssize_t>(piece.size()));
      }
    }
  }
  std::string read(StreamId stream) {
    std::string text;
    std::array<char, 100> room;
    for (std::size_t count = 0; (count = server.read(stream, room)) > 0; exchange())
      text.append(room.data(), count);
    return text;
  }
};

TestClient::Fields fields_for(std::string method, std::string path) {
  return {{":method", std::move(method)},
          {":scheme", "http"},
          {":path", std::move(path)},
          {":authority", "localhost:8000"}};
}

TEST_CASE("http2: a request is text of HTTP/1.1", "[server]") {
  Pair pair;
  auto fields = fields_for("GET", "/healthz?a=b");
  fields.emplace_back("accept", "*/*");
  fields.emplace_back("host", "localhost:8000");
  const StreamId stream = pair.client.ask(fields);
  pair.exchange();
  CHECK(pair.events.seen == std::vector<std::string>{"begun 1"});
  CHECK(pair.read(stream) ==
        "GET /healthz?a=b HTTP/1.1\r\nhost: localhost:8000\r\naccept: */*\r\n"
        "connection: close\r\n\r\n");
  CHECK(pair.server.is_read(stream));
}

TEST_CASE("http2: bodies with and without a length", "[server]") {
  Pair pair;
  const std::string body(300'000, 'x');  // more than a window
  auto fields = fields_for("POST", "/");
  fields.emplace_back("content-length", std::to_string(body.size()));
  const StreamId with_length = pair.client.ask(fields, body);
  pair.exchange();
  CHECK(pair.read(with_length) ==
        "POST / HTTP/1.1\r\nhost: localhost:8000\r\ncontent-length: 300000\r\n"
        "connection: close\r\n\r\n" +
            body);
  const StreamId without = pair.client.ask(fields_for("POST", "/"), "abc");
  pair.exchange();
  CHECK(pair.read(without) ==
        "POST / HTTP/1.1\r\nhost: localhost:8000\r\nconnection: close\r\n"
        "transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
}

TEST_CASE("http2: a response in pieces", "[server]") {
  Pair pair;
  const StreamId stream = pair.client.ask(fields_for("GET", "/"));
  pair.exchange();
  pair.read(stream);
  for (const std::string_view piece :
       {"HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 200 OK\r\nX-A: b\r\nConn",
        "ection: close\r\nContent-Length: 5\r\n\r\nab", "cde"}) {
    pair.server.write(stream, piece);
    pair.exchange();
  }
  pair.server.finish(stream);
  pair.exchange();
  CHECK(pair.client.got[stream] == ":status=100;:status=200;x-a=b;content-length=5;abcde");
  CHECK(pair.client.ended.at(stream) == NGHTTP2_NO_ERROR);
  CHECK(pair.events.seen == std::vector<std::string>{"begun 1", "written 1", "written 1",
                                                     "written 1", "written 1", "gone 1"});
  CHECK_FALSE(pair.server.has_streams());
}

TEST_CASE("http2: a response that does not come is a reset", "[server]") {
  Pair pair;
  const StreamId unread = pair.client.ask(fields_for("GET", "/"));
  const StreamId unanswered = pair.client.ask(fields_for("GET", "/"));
  const StreamId half = pair.client.ask(fields_for("GET", "/"));
  pair.exchange();
  pair.read(unanswered);
  pair.read(half);
  pair.server.write(half, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab");
  for (const StreamId stream : {unread, unanswered, half}) pair.server.finish(stream);
  pair.exchange();
  CHECK(pair.client.ended.at(unread) == NGHTTP2_REFUSED_STREAM);
  CHECK(pair.client.ended.at(unanswered) == NGHTTP2_INTERNAL_ERROR);
  CHECK(pair.client.ended.at(half) == NGHTTP2_INTERNAL_ERROR);
}

TEST_CASE("http2: malformed requests do not begin", "[server]") {
  Pair pair;
  auto two_hosts = fields_for("GET", "/");
  two_hosts.emplace_back("host", "other");
  auto long_field = fields_for("GET", "/");
  long_field.emplace_back("x", std::string(40'000, 'y'));
  const std::vector<StreamId> streams{pair.client.ask(two_hosts), pair.client.ask(long_field)};
  pair.exchange();
  for (const StreamId stream : streams) CHECK(pair.client.ended.count(stream) == 1);
  CHECK(pair.events.seen == std::vector<std::string>{"gone 1", "gone 3"});
}

TEST_CASE("http2: after the farewell nothing begins", "[server]") {
  Pair pair;
  pair.exchange();
  pair.server.go_away();
  pair.exchange();
  CHECK(pair.server.is_over());
  CHECK_FALSE(Http2Session(pair.events).feed("GET / HTTP/1.1\r\n\r\n.........."));
}

TEST_CASE("http2: heads of responses", "[server]") {
  CHECK_FALSE(AnswerHead::read("HTTP/1.0 200 OK\r\n\r\n"));
  const auto head = AnswerHead::read("HTTP/1.1 204 No Content\r\nServer: Server\r\n\r\n");
  REQUIRE(head);
  CHECK(head->status == "204");
  CHECK_FALSE(head->body_bytes);
}

}  // namespace
}  // namespace stator::http2

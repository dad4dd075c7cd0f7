#include "server/connections/http2_line.h"

namespace stator {

void Http2End::read(std::span<char> room, Done done) {
  read_room = room;
  read_done = std::move(done);
  can_read();
}

void Http2End::can_read() {
  if (!read_done) return;
  auto& streams = connection->streams();
  const std::size_t count = is_open && !is_shut ? streams.read(stream, read_room) : 0;
  if (count > 0) {
    connection->flush();  // the client may send as much again
    return complete(read_done, {}, count);
  }
  if (!is_open || is_shut || streams.is_read(stream))
    complete(read_done, boost::asio::error::eof, 0);
}

void Http2End::write(std::string_view bytes, Done done) {
  write_bytes = bytes.size();
  write_done = std::move(done);
  if (!is_open || is_gone) return complete(write_done, boost::asio::error::eof, 0);
  connection->streams().write(stream, bytes);
  connection->flush();
}

void Http2End::has_written() {
  if (write_done) complete(write_done, {}, write_bytes);
}

void Http2End::close() {
  if (!std::exchange(is_open, false)) return;
  left = nullptr;
  connection->remove(stream);
  connection->streams().finish(stream);
  connection->flush();
  if (read_done) complete(read_done, boost::asio::error::eof, 0);
  if (write_done) complete(write_done, boost::asio::error::eof, 0);
}

void Http2End::has_gone() {
  is_gone = true;
  if (auto tell = std::exchange(left, nullptr)) return tell();
  close();
}

// The handler may end this, so it comes later.
void Http2End::complete(Done& done, ErrorCode error, std::size_t count) {
  connection->worker().post(
      [done = std::exchange(done, nullptr), error, count] { done(error, count); });
}

}  // namespace stator

#include "server/http2/http2_session.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "protocol/service/limits.h"
#include "server/http2/answer_head.h"

namespace stator::http2 {

namespace {

// Resets of streams that a client may send at once, and each second. Each costs a request.
constexpr std::uint64_t kResetBurst = 200;
constexpr std::uint64_t kResetRate = 20;
// A head of a response that is longer is none.
constexpr std::size_t kAnswerHeadBytesMax = 64 * 1024;

constexpr std::string_view kEndOfHead = "\r\n\r\n";

std::string_view view(const std::uint8_t* bytes, std::size_t count) {
  return {reinterpret_cast<const char*>(bytes), count};
}

bool ends_stream(const nghttp2_frame_hd& head) {
  return (head.flags & NGHTTP2_FLAG_END_STREAM) != 0;
}

bool begins_request(const nghttp2_frame& frame) {
  return frame.hd.type == NGHTTP2_HEADERS && frame.headers.cat == NGHTTP2_HCAT_REQUEST;
}

std::string hexadecimal(std::size_t number) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  do digits.insert(digits.begin(), kDigits[number % 16]);
  while ((number /= 16) != 0);
  return digits;
}

nghttp2_nv field(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

std::vector<nghttp2_nv> fields_of(const AnswerHead& head) {
  std::vector<nghttp2_nv> fields{field(":status", head.status)};
  for (const auto& [name, value] : head.fields) fields.push_back(field(name, value));
  return fields;
}

// nghttp2 is in C, so no exception may pass through it.
template <class Do>
int guarded(const Do& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return NGHTTP2_ERR_CALLBACK_FAILURE;
  }
}

struct OptionDeleter {
  void operator()(nghttp2_option* option) const { nghttp2_option_del(option); }
};
struct CallbacksDeleter {
  void operator()(nghttp2_session_callbacks* callbacks) const {
    nghttp2_session_callbacks_del(callbacks);
  }
};

}  // namespace

// What nghttp2 calls.
struct SessionCallbacks {
  static Http2Session& self(void* user) { return *static_cast<Http2Session*>(user); }

  static int begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    return guarded([&] {
      if (!begins_request(*frame)) return 0;
      self(user).streams_.try_emplace(frame->hd.stream_id);
      self(user).head_of_ = frame->hd.stream_id;
      return 0;
    });
  }

  static int header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                    std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                    std::uint8_t, void* user) {
    return guarded([&] {
      auto* const stream = self(user).find(frame->hd.stream_id);
      if (stream == nullptr || !begins_request(*frame)) return 0;
      const bool fits = stream->head.add(view(name, name_size), view(value, value_size));
      return fits ? 0 : int{NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE};
    });
  }

  static int invalid_header(nghttp2_session*, const nghttp2_frame*, const std::uint8_t*,
                            std::size_t, const std::uint8_t*, std::size_t, std::uint8_t, void*) {
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // resets the stream
  }

  static int frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    return guarded([&] {
      const StreamId id = frame->hd.stream_id;
      auto* const stream = self(user).find(id);
      if (frame->hd.type == NGHTTP2_HEADERS) self(user).head_of_ = 0;
      if (stream == nullptr) return 0;
      if (begins_request(*frame) &&
          !self(user).begin_request(id, *stream, !ends_stream(frame->hd))) {
        self(user).reset(id, NGHTTP2_PROTOCOL_ERROR);
        return 0;
      }
      const bool has_end = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
      if (has_end && ends_stream(frame->hd)) self(user).end_request(id);
      return 0;
    });
  }

  static int sent(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    return guarded([&] {
      const bool has_end = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
      auto* const stream = self(user).find(frame->hd.stream_id);
      if (stream == nullptr || !has_end || !ends_stream(frame->hd)) return 0;
      stream->is_sent = true;
      self(user).end_unread(frame->hd.stream_id, *stream);
      return 0;
    });
  }

  static int data(nghttp2_session*, std::uint8_t, StreamId id, const std::uint8_t* bytes,
                  std::size_t count, void* user) {
    return guarded([&] {
      self(user).take_data(id, view(bytes, count));
      return 0;
    });
  }

  static int closed(nghttp2_session*, StreamId id, std::uint32_t, void* user) {
    return guarded([&] {
      Http2Session& session = self(user);
      if (session.head_of_ == id) session.head_of_ = 0;
      auto* const stream = session.find(id);
      if (stream == nullptr) return 0;
      nghttp2_session_consume_connection(session.session_.get(), stream->window_bytes);
      session.streams_.erase(id);
      session.events_.gone(id);
      return 0;
    });
  }

  static ssize_t body(nghttp2_session*, StreamId id, std::uint8_t* room, std::size_t size,
                      std::uint32_t* flags, nghttp2_data_source*, void* user) {
    std::size_t count = 0;
    bool is_last = false;
    const int error = guarded([&] {
      count = self(user).give_body(id, {room, size}, is_last);
      return 0;
    });
    if (error != 0) return error;
    if (is_last) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return count == 0 && !is_last ? ssize_t{NGHTTP2_ERR_DEFERRED} : static_cast<ssize_t>(count);
  }
};

void Http2Session::Deleter::operator()(nghttp2_session* session) const {
  nghttp2_session_del(session);
}

Http2Session::Http2Session(StreamEvents& events) : events_(events) {
  nghttp2_session_callbacks* raw_callbacks = nullptr;
  if (nghttp2_session_callbacks_new(&raw_callbacks) != 0) throw std::bad_alloc();
  const std::unique_ptr<nghttp2_session_callbacks, CallbacksDeleter> callbacks{raw_callbacks};
  nghttp2_session_callbacks_set_on_begin_headers_callback(raw_callbacks,
                                                          SessionCallbacks::begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(raw_callbacks, SessionCallbacks::header);
  nghttp2_session_callbacks_set_on_invalid_header_callback(raw_callbacks,
                                                           SessionCallbacks::invalid_header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(raw_callbacks, SessionCallbacks::frame);
  nghttp2_session_callbacks_set_on_frame_send_callback(raw_callbacks, SessionCallbacks::sent);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(raw_callbacks, SessionCallbacks::data);
  nghttp2_session_callbacks_set_on_stream_close_callback(raw_callbacks, SessionCallbacks::closed);

  nghttp2_option* raw_option = nullptr;
  if (nghttp2_option_new(&raw_option) != 0) throw std::bad_alloc();
  const std::unique_ptr<nghttp2_option, OptionDeleter> option{raw_option};
  // A window grows again when the request's reader has taken the data.
  nghttp2_option_set_no_auto_window_update(raw_option, 1);
  nghttp2_option_set_no_closed_streams(raw_option, 1);
  nghttp2_option_set_stream_reset_rate_limit(raw_option, kResetBurst, kResetRate);

  nghttp2_session* session = nullptr;
  if (nghttp2_session_server_new2(&session, raw_callbacks, this, raw_option) != 0)
    throw std::bad_alloc();
  session_.reset(session);
  constexpr std::array<nghttp2_settings_entry, 2> kSettings{{
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, kStreamsMax},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits::kRequestHeaderBytesMax},
  }};
  const int error =
      nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, kSettings.data(), kSettings.size());
  if (error != 0) throw std::bad_alloc();
}

Http2Session::~Http2Session() = default;

bool Http2Session::feed(std::string_view bytes) {
  const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return nghttp2_session_mem_recv(session_.get(), first, bytes.size()) >= 0;
}

std::string_view Http2Session::output() {
  const std::uint8_t* bytes = nullptr;
  const ssize_t count = nghttp2_session_mem_send(session_.get(), &bytes);
  has_failed_ |= count < 0;
  return count > 0 ? view(bytes, static_cast<std::size_t>(count)) : std::string_view();
}

bool Http2Session::is_over() const {
  return has_failed_ || (nghttp2_session_want_read(session_.get()) == 0 &&
                         nghttp2_session_want_write(session_.get()) == 0);
}

void Http2Session::go_away() {
  nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_.get()), NGHTTP2_NO_ERROR,
                        nullptr, 0);
}

auto Http2Session::find(StreamId stream) -> Stream* {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : &found->second;
}

void Http2Session::reset(StreamId stream, std::uint32_t code) {
  nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream, code);
}

// Returns false if the request is malformed.
bool Http2Session::begin_request(StreamId id, Stream& stream, bool has_body) {
  stream.is_in_chunks = has_body && stream.head.is_in_chunks();
  stream.input = stream.head.text(has_body);
  if (stream.input.empty()) return false;
  events_.begun(id);
  return true;
}

void Http2Session::take_data(StreamId id, std::string_view bytes) {
  Stream* const stream = find(id);
  if (stream == nullptr) {
    nghttp2_session_consume_connection(session_.get(), bytes.size());
    return;
  }
  stream->window_bytes += bytes.size();
  if (stream->is_in_chunks) {
    stream->input.append(hexadecimal(bytes.size())).append("\r\n");
    stream->input.append(bytes).append("\r\n");
  } else {
    stream->input.append(bytes);
  }
  events_.readable(id);
}

void Http2Session::end_request(StreamId id) {
  Stream& stream = *find(id);
  if (stream.is_request_whole) return;
  stream.is_request_whole = true;
  if (stream.is_in_chunks) stream.input.append("0\r\n\r\n");
  events_.readable(id);
}

std::size_t Http2Session::read(StreamId id, std::span<char> room) {
  Stream* const stream = find(id);
  if (stream == nullptr) return 0;
  stream->was_read = true;
  const std::size_t count = std::min(stream->input.size(), room.size());
  std::memcpy(room.data(), stream->input.data(), count);
  stream->input.erase(0, count);
  if (stream->input.empty()) give_window_back(id, *stream);
  return count;
}

void Http2Session::give_window_back(StreamId id, Stream& stream) {
  std::string{}.swap(stream.input);
  const std::size_t bytes = std::exchange(stream.window_bytes, 0);
  if (bytes != 0) nghttp2_session_consume(session_.get(), id, bytes);
}

bool Http2Session::is_read(StreamId id) const {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return true;
  return found->second.is_request_whole && found->second.input.empty();
}

void Http2Session::write(StreamId id, std::string_view bytes) {
  Stream* const stream = find(id);
  if (stream == nullptr) return;
  while (!stream->is_answered && !bytes.empty()) {
    if (!take_answer_head(id, *stream, bytes)) return reset(id, NGHTTP2_INTERNAL_ERROR);
  }
  stream->unsent = bytes.substr(
      0, static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), stream->body_bytes_left)));
  if (stream->unsent.empty()) return events_.written(id);
  nghttp2_session_resume_data(session_.get(), id);
}

// Takes bytes of the response up to the end of its head, which it sends. Returns false if this is
// no head.
bool Http2Session::take_answer_head(StreamId id, Stream& stream, std::string_view& bytes) {
  std::string& text = stream.answer_head;
  const std::size_t had = text.size();
  text.append(bytes.substr(0, kAnswerHeadBytesMax));
  const std::size_t end = text.find(kEndOfHead);
  if (end == std::string::npos) {
    bytes = {};
    return text.size() < kAnswerHeadBytesMax;
  }
  text.resize(end + kEndOfHead.size());
  bytes.remove_prefix(text.size() - had);
  const auto head = AnswerHead::read(text);
  std::string{}.swap(text);
  if (!head) return false;
  const auto fields = fields_of(*head);
  if (head->is_interim()) {
    return nghttp2_submit_headers(session_.get(), NGHTTP2_FLAG_NONE, id, nullptr, fields.data(),
                                  fields.size(), nullptr) == 0;
  }
  stream.is_answered = true;
  stream.body_bytes_left = stream.head.is_of_head_request() ? 0 : head->body_bytes.value_or(0);
  nghttp2_data_provider body{};
  body.read_callback = SessionCallbacks::body;
  return nghttp2_submit_response(session_.get(), id, fields.data(), fields.size(),
                                 stream.body_bytes_left == 0 ? nullptr : &body) == 0;
}

// Returns 0 without `is_last` if the response's writer has more to give.
std::size_t Http2Session::give_body(StreamId id, std::span<std::uint8_t> room, bool& is_last) {
  Stream* const stream = find(id);
  if (stream == nullptr || stream->unsent.empty()) return 0;
  const std::size_t count = std::min(stream->unsent.size(), room.size());
  std::memcpy(room.data(), stream->unsent.data(), count);
  stream->unsent.remove_prefix(count);
  stream->body_bytes_left -= count;
  is_last = stream->body_bytes_left == 0;
  if (stream->unsent.empty()) events_.written(id);
  return count;
}

void Http2Session::finish(StreamId id) {
  Stream* const stream = find(id);
  if (stream == nullptr) return;
  stream->unsent = {};
  if (!stream->was_read) return reset(id, NGHTTP2_REFUSED_STREAM);  // the client may try again
  const bool is_whole = stream->is_answered && stream->body_bytes_left == 0;
  if (!is_whole) return reset(id, NGHTTP2_INTERNAL_ERROR);
  stream->is_finished = true;
  end_unread(id, *stream);
}

// A reset that is asked for before the response has left would take its place.
void Http2Session::end_unread(StreamId id, const Stream& stream) {
  if (stream.is_finished && stream.is_sent && !stream.is_request_whole) reset(id, NGHTTP2_NO_ERROR);
}

}  // namespace stator::http2

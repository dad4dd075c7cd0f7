#include "server/cli/function_command/forwarder.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <exception>
#include <system_error>
#include <utility>

#include "server/http/header_text.h"
#include "server/http/origin_policy.h"
#include "server/http/read_buffer.h"
#include "server/http/reply.h"
#include "server/log/say.h"
#include "server/options/variables.h"
#include "server/triggers/runtimes/call_output.h"
#include "server/triggers/runtimes/runtime_api.h"
#include "server/triggers/runtimes/runtime_errors.h"

namespace stator {

namespace {

using triggers::RuntimeAction;

constexpr std::size_t kClientsMax = 64;
constexpr std::chrono::milliseconds kServerPause{500};
// A poll waits for a call.
constexpr std::chrono::hours kPollTimeout{24 * 365};

[[noreturn]] void throw_errno(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::string prefixed(const std::string& function, std::string_view path) {
  std::string whole("/_stator/function/");
  return whole.append(function).append(path);
}

bool write_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string response_text(unsigned status, std::string_view fields, std::string_view body) {
  std::string text("HTTP/1.1 ");
  text.append(std::to_string(status)).append(" -\r\nContent-Type: application/json\r\n");
  text.append(fields).append("Content-Length: ").append(std::to_string(body.size()));
  return text.append("\r\n\r\n").append(body);
}

std::string problem(std::string_view message) {
  return triggers::error_object("ServiceException", message);
}

// Pages of a browser have no business here.
bool is_of_page(const HttpRequest& request) {
  return request.has(Header::Origin) || !is_loopback_host(request.header(Header::Host));
}

}  // namespace

struct Forwarder::Client {
  int socket;
  bool has_ended = false;
  std::thread thread = {};
};

Forwarder::Forwarder(const HealthOptions& server, std::string function, Listener listener)
    : server_(server), function_(std::move(function)), listener_(std::move(listener)) {
  std::string token = variable_text("STATOR_CONSOLE_TOKEN");
  if (!token.empty() && token != kNoConsoleToken)
    fields_.emplace_back("x-stator-token", std::move(token));
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) throw_errno("socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  const bool is_open = ::bind(socket_, plain, size) == 0 && ::listen(socket_, 64) == 0 &&
                       ::getsockname(socket_, plain, &size) == 0;
  if (!is_open) {
    ::close(socket_);
    throw_errno("a port on 127.0.0.1");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { accept(); });
}

Forwarder::~Forwarder() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  ::shutdown(socket_, SHUT_RDWR);
  end_process();
  thread_.join();
  close_clients();
  ::close(socket_);
}

Forwarder::Seen Forwarder::seen() const {
  const std::scoped_lock lock(mutex_);
  return seen_;
}

HealthOptions Forwarder::patient_server() const {
  HealthOptions patient = server_;
  patient.timeout = kPollTimeout;
  return patient;
}

void Forwarder::begin_process() {
  close_clients();
  const std::scoped_lock lock(mutex_);
  seen_ = {};
  is_idle_ = false;
  polls_ = std::make_shared<HttpConnection>(patient_server(), CertificateCheck::None);
}

void Forwarder::end_process() {
  {
    const std::scoped_lock lock(mutex_);
    is_idle_ = true;
    if (polls_) polls_->interrupt();
    for (const Client& client : clients_) ::shutdown(client.socket, SHUT_RDWR);
  }
  changed_.notify_all();
  // Only the last reference closes the connection, which a poll in flight may have.
  const std::scoped_lock poll_lock(poll_mutex_);
  const std::scoped_lock lock(mutex_);
  polls_.reset();
}

void Forwarder::close_clients() {
  std::list<Client> ended;
  {
    const std::scoped_lock lock(mutex_);
    ended.swap(clients_);
    for (const Client& client : ended) ::shutdown(client.socket, SHUT_RDWR);
  }
  for (Client& client : ended) {
    client.thread.join();
    ::close(client.socket);
  }
}

void Forwarder::accept() {
  for (;;) {
    const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    const std::scoped_lock lock(mutex_);
    if (is_ending_ || (socket < 0 && errno != EINTR && errno != ECONNABORTED)) {
      if (socket >= 0) ::close(socket);
      return;
    }
    if (socket < 0) continue;
    // Those that have ended make room.
    for (auto client = clients_.begin(); client != clients_.end();) {
      if (!client->has_ended) {
        ++client;
        continue;
      }
      client->thread.join();
      ::close(client->socket);
      client = clients_.erase(client);
    }
    if (clients_.size() >= kClientsMax) {
      ::close(socket);
      continue;
    }
    Client& client = clients_.emplace_back(Client{socket});
    client.thread = std::thread([this, &client] { serve(client); });
  }
}

void Forwarder::serve(Client& client) {
  using Progress = HttpRequestParser::Progress;
  HttpRequestParser parser;
  ReadBuffer buffer;
  bool was_told_to_continue = false;
  for (bool goes_on = true; goes_on;) {
    auto progress = Progress::NeedMore;
    if (!buffer.empty()) {
      const auto fed = parser.feed(buffer.bytes());
      buffer.consume(fed.consumed);
      progress = fed.progress;
    }
    if (progress == Progress::NeedMore) {
      if (parser.expects_continue() && !std::exchange(was_told_to_continue, true))
        write_all(client.socket, kContinue);
      const auto room = buffer.room();
      const ssize_t count = ::recv(client.socket, room.data(), room.size(), 0);
      goes_on = count > 0 && !room.empty();
      if (goes_on) buffer.received(static_cast<std::size_t>(count));
      continue;
    }
    HttpRequest& request = parser.request();
    // The server has the same limit, and the same answer.
    if (progress == Progress::BodyTooLarge)
      request.body().assign(triggers::kAnswerBytesMax + 1, ' ');
    const bool is_readable = progress != Progress::Malformed && !is_of_page(request);
    const Reply reply = is_readable ? try_answer(request) : Reply{400, problem("no request")};
    goes_on = reply.status != 0 &&
              write_all(client.socket, response_text(reply.status, reply.fields, reply.body)) &&
              progress == Progress::Complete && request.keeps_alive();
    parser.reset();
    was_told_to_continue = false;
  }
  ::shutdown(client.socket, SHUT_RDWR);
  const std::scoped_lock lock(mutex_);
  client.has_ended = true;
}

// Status 0: the connection ends. One cause is a lack of descriptors.
Forwarder::Reply Forwarder::try_answer(HttpRequest& request) {
  try {
    return answer(request);
  } catch (const std::exception& error) {
    complain(function_ + ": " + error.what());
    return {};
  }
}

Forwarder::Reply Forwarder::answer(HttpRequest& request) {
  const auto path = triggers::runtime_path(request);
  const std::string target = prefixed(function_, request.path());
  switch (path.action) {
    case RuntimeAction::Next: {
      const auto event = poll(target);
      return event ? begin_call(*event) : Reply{};
    }
    case RuntimeAction::Response:
      // A connection of our own brings no trailer.
      if (const auto error = triggers::error_in_trailer(request)) {
        const std::size_t end = target.rfind('/');
        return bring(request, target.substr(0, end) + "/error", *error);
      }
      return bring(request, target, request.body());
    case RuntimeAction::Error:
    case RuntimeAction::InitError:
      return bring(request, target, request.body());
    case RuntimeAction::Unknown:
      break;
  }
  return {404, triggers::error_object("PageNotFound", "There is nothing at this path.")};
}

// Waits for a call, and for the server. Empty: the process has ended.
std::optional<HttpClientResponse> Forwarder::poll(const std::string& path) {
  const std::scoped_lock poll_lock(poll_mutex_);
  bool has_complained = false;
  for (;;) {
    std::shared_ptr<HttpConnection> connection;
    {
      const std::scoped_lock lock(mutex_);
      seen_.has_polled = true;
      if (is_idle_) return std::nullopt;
      connection = polls_;
    }
    auto event =
        connection->ask({.path = path, .fields = fields_, .body = {}, .keeps_connection = true});
    if (event) return *std::move(event);
    std::unique_lock lock(mutex_);
    if (is_idle_) return std::nullopt;
    if (!std::exchange(has_complained, true))
      complain(function_ + ": the server does not answer: " + event.error().why);
    changed_.wait_for(lock, kServerPause, [this] { return is_idle_; });
  }
}

Forwarder::Reply Forwarder::begin_call(const HttpClientResponse& event) {
  Reply reply{event.status, event.body};
  for (const auto& [name, value] : event.fields) {
    constexpr std::string_view kOfRuntime = "lambda-runtime-";
    if (!equals_ignoring_case(std::string_view(name).substr(0, kOfRuntime.size()), kOfRuntime))
      continue;
    reply.fields.append(name).append(": ").append(value).append("\r\n");
  }
  if (event.status != 200) {
    complain(function_ + ": the server refuses a poll: status " + std::to_string(event.status) +
             ": " + event.body);
    return reply;
  }
  const std::string_view deadline = event.field("Lambda-Runtime-Deadline-Ms");
  std::int64_t deadline_ms = 0;
  std::from_chars(deadline.data(), deadline.data() + deadline.size(), deadline_ms);
  listener_.before_call();
  {
    const std::scoped_lock lock(mutex_);
    seen_.is_working = true;
    seen_.request_id = event.field("Lambda-Runtime-Aws-Request-Id");
    seen_.deadline_ms = deadline_ms;
  }
  listener_.on_change();
  return reply;
}

Forwarder::Reply Forwarder::bring(const HttpRequest& request, const std::string& path,
                                  const std::string& body) {
  const std::string_view type = request.header(Header::LambdaRuntimeFunctionErrorType);
  const bool is_start = path.ends_with("/init/error");
  const std::string output = is_start ? std::string() : listener_.output();
  const HttpClientResponse taken = post(path, type, body, output);
  {
    const std::scoped_lock lock(mutex_);
    if (is_start) {
      seen_.has_failed_start = true;
    } else {
      seen_.has_answered = true;
      seen_.is_working = false;
    }
  }
  if (!is_start) listener_.on_change();
  return {taken.status, taken.body};
}

HttpClientResponse Forwarder::post(const std::string& path, std::string_view type,
                                   const std::string& body, std::string_view output) {
  std::vector<HttpField> fields = fields_;
  fields.emplace_back("Content-Type", "application/json");
  if (!type.empty()) fields.emplace_back("Lambda-Runtime-Function-Error-Type", type);
  if (!output.empty()) fields.emplace_back("x-stator-log", triggers::pack_output(output));
  auto answer = HttpConnection(server_, CertificateCheck::None)
                    .ask({.path = path, .fields = fields, .body = body, .method = "POST"});
  if (answer) return *std::move(answer);
  complain(function_ + ": the server does not answer: " + answer.error().why);
  return {500, problem(answer.error().why)};
}

void Forwarder::fail_start(const std::string& error) {
  post(prefixed(function_, "/2018-06-01/runtime/init/error"), {}, error, {});
}

void Forwarder::fail_call(const std::string& request_id, const std::string& error) {
  std::string path("/2018-06-01/runtime/invocation/");
  post(prefixed(function_, path.append(request_id).append("/error")), {}, error,
       listener_.output());
}

}  // namespace stator

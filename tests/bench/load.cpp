// The load of the bench: one thread, some keep-alive connections, one request in flight on each,
// sent with the headers an SDK sends. Measures the rate, the latency of each request and the CPU
// time the server's process spent meanwhile. Prints a line when it begins to measure, and one of
// JSON.
//
//   bench_load --port N --mode MODE [--pid N] [--connections N] [--items N]
//              [--duration SECONDS | --requests N] [--first N] [--secret S]
//
// MODE is one of modes.h, or: `prepare` makes the tables and their items, `fill` makes the table of
// small items with --items of them, `filltiny` that of the tiny ones, `fillstreamed` the one with a
// stream, `createfresh` the one for fresh items, `scanpage` scans pages of which a filter lets
// nothing through, `scantiny` pages of tiny items, `getrecords` reads the first 1,000 records of
// the stream, `pipeline` sends 200 PutItem at a time on each connection, `mix` does a bit of
// everything. Any answer but 200 with the expected body ends the run with an error. With --secret
// the requests are signed with it, otherwise they only look so.

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/bench/item.h"
#include "tests/bench/modes.h"
#include "tests/bench/signed.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  int port = 8000;
  int pid = 0;
  int connections = 16;
  double duration_s = 3;
  std::uint64_t requests = std::numeric_limits<std::uint64_t>::max();
  int items = bench::kKeys;
  int first = 0;  // the number of the first fresh item
  std::string mode;
  std::string secret;  // of the key; empty: the signature is any
};

constexpr int kPipelined = 200;

struct Request {
  std::string text;
  std::string_view expected;  // must occur in the body of each answer
  int answers = 1;            // to as many requests in a row
};

[[noreturn]] void fail(std::string_view what) {
  std::fprintf(stderr, "bench_load: %.*s (%s)\n", static_cast<int>(what.size()), what.data(),
               errno != 0 ? std::strerror(errno) : "no system error");
  std::exit(1);
}

std::string http_request(const Options& options, std::string_view operation,
                         const std::string& body) {
  char date[32];
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  std::strftime(date, sizeof date, "%Y%m%dT%H%M%SZ", gmtime_r(&now, &parts));
  const std::string day(date, 8);
  std::string text = "POST / HTTP/1.1\r\nHost: localhost:" + std::to_string(options.port);
  text += "\r\nAccept-Encoding: identity\r\nX-Amz-Target: ";
  if (operation.find('.') == std::string_view::npos) text += "DynamoDB_20120810.";
  text += operation;
  text +=
      "\r\nContent-Type: application/x-amz-json-1.0\r\n"
      "User-Agent: aws-sdk-js/3.1162.0 ua/2.1 os/linux#6.1.0 lang/js md/nodejs#22.11.0 "
      "api/dynamodb#3.1162.0 m/E,n\r\n"
      "x-amz-user-agent: aws-sdk-js/3.1162.0\r\n"
      "amz-sdk-invocation-id: 7f0c5b8e-3d51-4f3a-9a55-0f4f1f5f4d21\r\n"
      "amz-sdk-request: attempt=1; max=3\r\n"
      "x-amz-content-sha256: 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a\r\n";
  text += "X-Amz-Date: " + std::string(date) + "\r\n";
  text += "Connection: keep-alive\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  std::string signature("9b1c5dd0e3a7f6d1b2a49c8e7f60514233445566778899aabbccddeeff001122");
  if (!options.secret.empty()) signature = bench::signature_for(text, body, date, options.secret);
  text.append("Authorization: AWS4-HMAC-SHA256 Credential=").append(bench::kAccessKey);
  text.append("/").append(day).append("/us-east-1/dynamodb/aws4_request, SignedHeaders=");
  text.append(bench::kSignedFields).append(", Signature=").append(signature).append("\r\n\r\n");
  return text + body;
}

Request request_of(const Options& options, const bench::Body& body) {
  return {http_request(options, body.operation, body.text), body.expected};
}

int connect_to(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    fail("connect");
  }
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

// Nanoseconds of CPU of all the process's threads, those that have ended included.
std::uint64_t cpu_ns(int pid) {
  clockid_t clock{};
  timespec spent{};
  errno = clock_getcpuclockid(pid, &clock);
  if (errno != 0 || clock_gettime(clock, &spent) != 0) fail("the server's CPU time");
  return static_cast<std::uint64_t>(spent.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(spent.tv_nsec);
}

struct Connection {
  int fd = -1;
  std::string input;
  std::size_t answer_bytes = 0;  // of the answer that arrives; 0 before its head is there
  int answers = 0;               // still to come
  std::string_view expected;
  Clock::time_point sent;
};

// A closed loop over all connections. The callers choose the requests and say when to stop.
class Load {
 public:
  explicit Load(const Options& options) : options_(options), epoll_(epoll_create1(0)) {
    connections_.resize(static_cast<std::size_t>(options.connections));
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      connections_[i].fd = connect_to(options.port);
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = i;
      epoll_ctl(epoll_, EPOLL_CTL_ADD, connections_[i].fd, &event);
    }
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  ~Load() {
    for (const Connection& connection : connections_) close(connection.fd);
    close(epoll_);
  }

  // Sends `next(n)` for n = 0, 1, ... until `count` are sent or `until` has passed, and waits for
  // every answer. `on_answer(head and body)` sees each.
  template <class Next, class OnAnswer>
  void run(Next next, std::uint64_t count, Clock::time_point until, OnAnswer on_answer) {
    std::uint64_t sent = 0;
    std::size_t in_flight = 0;
    for (Connection& connection : connections_) {
      if (sent == count) break;
      send(connection, next(sent++));
      ++in_flight;
    }
    epoll_event events[64];
    while (in_flight > 0) {
      const int ready = epoll_wait(epoll_, events, 64, 10'000);
      if (ready <= 0) fail("no answer for 10 seconds");
      for (int i = 0; i < ready; ++i) {
        Connection& connection = connections_[events[i].data.u64];
        read_more(connection);
        Clock::time_point now;
        while (connection.answers > 0 && has_answer(connection)) {
          on_answer(std::string_view(connection.input).substr(0, connection.answer_bytes));
          connection.input.erase(0, std::exchange(connection.answer_bytes, 0));
          now = Clock::now();
          latencies_ns_.push_back(static_cast<std::uint32_t>((now - connection.sent).count()));
          --connection.answers;
        }
        if (connection.answers > 0) continue;
        --in_flight;
        if (sent < count && now < until) {
          send(connection, next(sent++));
          ++in_flight;
        }
      }
    }
  }

  template <class Next>
  void run(Next next, std::uint64_t count, Clock::time_point until) {
    run(next, count, until, [](std::string_view) {});
  }

  std::vector<std::uint32_t>& latencies_ns() { return latencies_ns_; }

 private:
  static void send(Connection& connection, const Request& request) {
    connection.input.clear();
    connection.answer_bytes = 0;
    connection.answers = request.answers;
    connection.expected = request.expected;
    connection.sent = Clock::now();
    const ssize_t written = write(connection.fd, request.text.data(), request.text.size());
    if (written != static_cast<ssize_t>(request.text.size())) fail("write");
  }

  void read_more(Connection& connection) {
    errno = 0;
    const ssize_t got = read(connection.fd, buffer_.data(), buffer_.size());
    if (got <= 0) fail("the server closed the connection");
    connection.input.append(buffer_.data(), static_cast<std::size_t>(got));
  }

  // True when the next answer is there, whole.
  static bool has_answer(Connection& connection) {
    const std::string_view input = connection.input;
    if (connection.answer_bytes == 0) {
      const std::size_t head_end = input.find("\r\n\r\n");
      if (head_end == std::string_view::npos) return false;
      connection.answer_bytes = head_end + 4 + content_length(input.substr(0, head_end));
    }
    if (input.size() < connection.answer_bytes) return false;
    const std::string_view answer = input.substr(0, connection.answer_bytes);
    if (!answer.starts_with("HTTP/1.1 200") ||
        answer.find(connection.expected) == std::string_view::npos) {
      fail("unexpected answer: " + std::string(answer.substr(0, 2000)));
    }
    return true;
  }

  static std::size_t content_length(std::string_view head) {
    constexpr std::string_view kName = "\r\ncontent-length:";
    const auto same = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
    const auto found = std::search(head.begin(), head.end(), kName.begin(), kName.end(), same);
    if (found == head.end()) fail("no Content-Length in the answer");
    auto digits = head.substr(static_cast<std::size_t>(found - head.begin()) + kName.size());
    digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
    std::size_t size = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), size);
    return size;
  }

  const Options& options_;
  int epoll_;
  std::vector<Connection> connections_;
  std::vector<char> buffer_ = std::vector<char>(256 * 1024);
  std::vector<std::uint32_t> latencies_ns_;
};

constexpr auto kNever = Clock::time_point::max();

// One request after the other, made as they are needed.
template <class BodyOf>
void send_all(const Options& options, int connections, int count, BodyOf body_of) {
  Options own = options;
  own.connections = connections;
  Request request;
  const auto next = [&](std::uint64_t n) -> const Request& {
    return request = request_of(options, body_of(static_cast<int>(n)));
  };
  Load(own).run(next, static_cast<std::uint64_t>(count), kNever);
}

void create(const Options& options, std::string_view table) {
  send_all(options, 1, 1, [&](int) {
    return bench::Body{"CreateTable", bench::create_table(table), "TableDescription"};
  });
}

void fill(const Options& options, std::string_view table, int partitions, int places) {
  create(options, table);
  send_all(options, 64, partitions * places, [&](int n) {
    return bench::Body{"PutItem", bench::put_body(table, bench::item_json(n / places, n % places)),
                       "{}"};
  });
}

void prepare(const Options& options) {
  create(options, "bench");
  send_all(options, 64, bench::kKeys, bench::put_item);
  fill(options, "sorted", bench::kSortedPartitions, bench::kItemsInPartition);
  fill(options, "pages", bench::kPagePartitions, bench::kItemsInPagePartition);
  fill(options, "indexed", bench::kSortedPartitions, bench::kItemsInPartition);
}

void fill_tiny(const Options& options) {
  create(options, "tiny");
  send_all(options, 16, bench::kTinyItems / 25, bench::tiny_batch);
}

void fill_small(const Options& options) {
  create(options, "small");
  send_all(options, 16, options.items / 25, bench::small_batch);
}

using ScanFrom = bench::Body (*)(const std::string& start);

// Where the full pages of a scan begin, as ExclusiveStartKey: the first one's is empty.
std::vector<std::string> page_starts(const Options& options, ScanFrom scan_from) {
  constexpr std::string_view kLast = R"("LastEvaluatedKey":)";
  Options one = options;
  one.connections = 1;
  Load load(one);
  std::vector<std::string> starts = {""};
  for (;;) {
    const Request request = request_of(options, scan_from(starts.back()));
    std::string last;
    const auto read_last = [&](std::string_view answer) {
      const std::size_t at = answer.find(kLast);
      if (at == std::string_view::npos) return;
      const std::string_view key = answer.substr(at + kLast.size());
      last = key.substr(0, key.find("}}") + 2);
    };
    load.run([&](std::uint64_t) -> const Request& { return request; }, 1, kNever, read_last);
    if (last.empty()) break;
    starts.push_back(last);
  }
  starts.pop_back();  // the last page is not a full one
  if (starts.empty()) fail("the scan had no full page");
  return starts;
}

// A string member of the answer to one request.
std::string text_in_answer(const Options& options, const bench::Body& body, std::string_view name) {
  Options one = options;
  one.connections = 1;
  const Request request = request_of(options, body);
  const std::string before = "\"" + std::string(name) + "\":\"";
  std::string text;
  Load(one).run([&](std::uint64_t) -> const Request& { return request; }, 1, kNever,
                [&](std::string_view answer) {
                  const std::size_t at = answer.find(before);
                  if (at == std::string_view::npos) fail("no " + std::string(name));
                  const std::string_view rest = answer.substr(at + before.size());
                  text = rest.substr(0, rest.find('"'));
                });
  return text;
}

Request first_records(const Options& options) {
  const auto ask = [&](std::string_view operation, const std::string& body, std::string_view name) {
    return text_in_answer(options, {operation, body, "{"}, name);
  };
  const std::string arn = ask("DescribeTable", R"({"TableName":"streamed"})", "LatestStreamArn");
  const std::string stream = R"({"StreamArn":")" + arn + "\"";
  const std::string shard = ask("DynamoDBStreams_20120810.DescribeStream", stream + "}", "ShardId");
  const std::string iterator =
      ask("DynamoDBStreams_20120810.GetShardIterator",
          stream + R"(,"ShardId":")" + shard + R"(","ShardIteratorType":"TRIM_HORIZON"})",
          "ShardIterator");
  return request_of(options, {"DynamoDBStreams_20120810.GetRecords",
                              R"({"ShardIterator":")" + iterator + "\"}", R"("Records":[{)"});
}

// Requests are made beforehand: the load must cost as little as it can.
std::vector<Request> requests_of(const Options& options) {
  std::vector<Request> requests;
  std::uint64_t random = 0x2545F4914F6CDD1D;
  const auto below = [&](int bound) {
    random = random * 6364136223846793005 + 1442695040888963407;
    return static_cast<int>((random >> 33) % static_cast<std::uint64_t>(bound));
  };
  if (options.mode == "scanpage" || options.mode == "scantiny") {
    const ScanFrom scan_from = options.mode == "scanpage" ? bench::scan_page : bench::scan_tiny;
    for (const auto& start : page_starts(options, scan_from)) {
      requests.push_back(request_of(options, scan_from(start)));
    }
  } else if (options.mode == "getrecords") {
    requests.push_back(first_records(options));
  } else if (options.mode == "pipeline") {
    requests.resize(bench::kKeys / kPipelined);
    for (int n = 0; n < bench::kKeys; ++n) {
      Request& request = requests[static_cast<std::size_t>(n / kPipelined)];
      const Request one = request_of(options, bench::put_item(n));
      request = {request.text + one.text, one.expected, kPipelined};
    }
  } else if (options.mode == "mix") {
    for (const bench::Share& share : bench::kMix) {
      for (int i = 0; i < share.count * 5; ++i) {
        requests.push_back(request_of(options, share.body(below(bench::kKeys))));
      }
    }
  }
  for (const bench::Mode& mode : bench::kModes) {
    if (mode.name != options.mode) continue;
    const bool is_small = mode.variants == bench::kSmallVariants;
    for (int i = 0; i < mode.variants; ++i) {
      requests.push_back(request_of(options, mode.body(is_small ? below(options.items) : i)));
    }
  }
  if (requests.empty()) fail("unknown mode " + options.mode);
  return requests;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (i + 1 == argc) fail("a value is missing after the last flag");
    const char* value = argv[++i];
    if (flag == "--port") {
      options.port = static_cast<int>(std::strtol(value, nullptr, 10));
    } else if (flag == "--pid") {
      options.pid = static_cast<int>(std::strtol(value, nullptr, 10));
    } else if (flag == "--connections") {
      options.connections = static_cast<int>(std::strtol(value, nullptr, 10));
    } else if (flag == "--duration") {
      options.duration_s = std::strtod(value, nullptr);
    } else if (flag == "--requests") {
      options.requests = std::strtoull(value, nullptr, 10);
      options.duration_s = 3600;
    } else if (flag == "--mode") {
      options.mode = value;
    } else if (flag == "--items") {
      options.items = static_cast<int>(std::strtol(value, nullptr, 10));
    } else if (flag == "--secret") {
      options.secret = value;
    } else if (flag == "--first") {
      options.first = static_cast<int>(std::strtol(value, nullptr, 10));
    } else {
      fail("unknown flag " + std::string(flag));
    }
  }
  return options;
}

double percentile_us(const std::vector<std::uint32_t>& sorted_ns, double share) {
  const auto last = static_cast<double>(sorted_ns.size() - 1);
  return sorted_ns[static_cast<std::size_t>(last * share)] / 1000.0;
}

void measure(const Options& options) {
  std::vector<Request> requests = requests_of(options);
  Load load(options);
  load.latencies_ns().reserve(4'000'000);
  std::uint64_t random = 0x9E3779B97F4A7C15;
  const std::size_t mark = requests.front().text.find(bench::kFreshMark);
  const auto next = [&](std::uint64_t number) -> const Request& {
    if (mark != std::string::npos) {
      requests.front().text.replace(
          mark + bench::kFreshMark.size(), bench::kFreshDigits,
          bench::digits(options.first + static_cast<int>(number), bench::kFreshDigits));
      return requests.front();
    }
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return requests[random % requests.size()];
  };

  const std::uint64_t cpu_before = options.pid != 0 ? cpu_ns(options.pid) : 0;
  std::puts("begun");
  std::fflush(stdout);
  const auto started = Clock::now();
  const auto duration = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(options.duration_s));
  load.run(next, options.requests, started + duration);
  const std::chrono::duration<double> elapsed = Clock::now() - started;
  const std::uint64_t cpu_after = options.pid != 0 ? cpu_ns(options.pid) : 0;

  auto& latencies = load.latencies_ns();
  if (latencies.empty()) fail("no request was answered");
  std::sort(latencies.begin(), latencies.end());
  const auto count = static_cast<double>(latencies.size());
  std::printf("{\"requests\":%zu,\"rate\":%.0f,\"cpu_us\":%.3f,\"p50_us\":%.1f,\"p99_us\":%.1f}\n",
              latencies.size(), count / elapsed.count(),
              static_cast<double>(cpu_after - cpu_before) / 1000.0 / count,
              percentile_us(latencies, 0.5), percentile_us(latencies, 0.99));
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (options.mode == "prepare") {
    prepare(options);
  } else if (options.mode == "fill") {
    fill_small(options);
  } else if (options.mode == "filltiny") {
    fill_tiny(options);
  } else if (options.mode == "createfresh") {
    create(options, "fresh");
  } else if (options.mode == "fillstreamed") {
    fill(options, "streamed", bench::kSortedPartitions, bench::kItemsInPartition);
  } else {
    measure(options);
  }
  return 0;
}

// See app.h. Members are made in the order they need each other and go in the reverse one.
//
// Threads: the calling one is the first worker and accepts; further workers; the maintainer; the
// one that takes signals; those of the lane, when there are long reads; one for long writes and one
// for verbs of the admin path, when they were asked for; with --sync commit the commit queue's; one
// that seeds.

#include "server/app.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <boost/asio/ssl/context.hpp>

#include "engine/engine.h"
#include "engine/operations/families.h"
#include "engine/operations/operation_table.h"
#include "server/admin/admin.h"
#include "server/data/data_options.h"
#include "server/data/interrupt.h"
#include "server/data/seed.h"
#include "server/listener.h"
#include "server/log.h"
#include "server/maintainer.h"
#include "server/metrics/metrics.h"
#include "server/request_log.h"
#include "server/shutdown.h"
#include "server/tls.h"
#include "server/worker.h"
#include "streams/operations.h"

namespace stator {

namespace {

// Threads for long reads.
constexpr unsigned kLaneThreadsMax = 4;
// Of --request-timeout: so that what a verb of the admin path has done by then is told in time.
constexpr int kAdminPatienceQuarters = 3;
constexpr std::chrono::seconds kSeedTimeout{60};

int fail(const std::string& line) {
  std::fprintf(stderr, "stator: %s\n", line.c_str());
  return 1;
}

std::string start_line(const Options& options, const std::string& address) {
  const auto& folder = options.settings.storage.folder;
  return version_text() + " listening on " + (options.tls.is_on() ? "https://" : "http://") +
         address + " (data in " + (folder ? folder->string() : "memory") + ")\n";
}

// Nullptr: it is not asked for.
tl::expected<std::unique_ptr<boost::asio::ssl::context>, std::string> make_tls_where_asked(
    const TlsOptions& options) {
  if (!options.is_on()) return nullptr;
  return make_tls_context(options);
}

// Nullptr: none are kept, for nobody could ask for them or nobody wants to.
std::unique_ptr<RecentRequests> make_recent_requests(const Options& options) {
  if (!options.has_admin_path || options.requests_kept == 0) return nullptr;
  return std::make_unique<RecentRequests>(options.requests_kept);
}

// What loads the tables of --seed, by the server's own address; empty without.
std::function<bool()> seeding(const Options& options, const std::string& address) {
  if (options.seed_folder.empty()) return {};
  HealthOptions own;
  own.is_tls = options.tls.is_on();
  own.host = options.host;
  own.port = static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
  own.timeout = kSeedTimeout;
  return [own, &options] { return data::seed(data::own_endpoint(own), options.seed_folder); };
}

// Says that it listens when `prepare` is done, then serves until a signal. `prepare` runs on a
// thread of its own while the server answers, and `is_loading` is true until then; false ends it
// all. Whether it was true.
bool serve(Engine& engine, std::span<const std::unique_ptr<Worker>> workers, Listener& listener,
           boost::asio::ssl::context* tls, const std::string& start_text, Admin& admin,
           Shutdown& shutdown, const std::function<bool()>& prepare,
           std::atomic<bool>& is_loading) {
  const auto ask = [&] {
    admin.end();
    workers.front()->post([&listener] { listener.stop(); });
    for (const auto& worker : workers) worker->stop();
    engine.end_flights();
  };
  const auto insist = [&] {
    for (const auto& worker : workers) worker->insist();
  };
  shutdown.start(ask, insist);
  listener.start(workers, tls);
  const auto announce = [&start_text] {
    // Whoever waits for this line may send a signal right behind it.
    std::fputs(start_text.c_str(), stdout);
    std::fflush(stdout);
  };
  bool is_prepared = true;
  std::thread preparing;
  if (prepare) {
    data::prepare_interrupt();
    preparing = std::thread([&] {
      is_prepared = prepare();
      if (is_prepared) {
        is_loading = false;
        return announce();
      }
      kill(getpid(), SIGTERM);
    });
  } else {
    announce();
  }
  std::vector<std::thread> threads;
  for (const auto& worker : workers.subspan(1)) {
    threads.emplace_back([&worker] { worker->run(); });
  }
  workers.front()->run();
  for (std::thread& thread : threads) thread.join();
  if (preparing.joinable()) {
    data::interrupt();
    preparing.join();
  }
  shutdown.served();
  return is_prepared;
}

}  // namespace

int run_app(const Options& options) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // then a file at its limit is an error like a full disk
  log::start(options.log_level, options.log_format);
  for (const std::string& line : options.warnings) log::warn(line);

  Shutdown shutdown;        // the last to go: it sees to it that the rest does
  const SystemClock clock;  // of the wire: Date, signatures
  MovableClock movable_clock{clock};
  SystemRandom random;
  const auto tls = make_tls_where_asked(options.tls);
  if (!tls) return fail(tls.error());
  auto engine = Engine::open(options.settings, movable_clock, random,
                             [](const std::string& line) { log::warn(line); });
  if (!engine) return fail(engine.error());

  // Whatever else answers requests registers its operations here.
  const OperationTable operations{
      item_operations(), batch_operations(),       read_operations(),    table_operations(),
      tag_operations(),  transaction_operations(), partiql_operations(), stream_operations()};
  Maintainer maintainer{**engine};
  RequestMemory memory{options.memory_bytes_max};
  const auto connections = std::make_shared<ConnectionCounts>();
  AllRequestCounters requests{operations.rows().size() + 1};
  const Metrics metrics{
      {**engine, options.settings, clock, operations, requests, memory, *connections, clock.now()}};
  const auto recent_requests = make_recent_requests(options);
  RecentRequests* const recent = recent_requests.get();
  Admin admin{{**engine, movable_clock, maintainer, options.settings, metrics, recent,
               options.request_timeout * kAdminPatienceQuarters / 4}};
  Admin* const admin_path = options.has_admin_path ? &admin : nullptr;
  RequestLog request_log{options.slow_request};
  std::atomic<bool> is_loading{!options.seed_folder.empty()};
  SystemRandom seeds;  // the engine's is the commit queue's alone
  // Long reads may use all cores, whatever few threads serve connections.
  const unsigned cores = std::clamp(std::thread::hardware_concurrency(), 1U, kLaneThreadsMax);
  const auto make_dispatcher = [&] {
    return std::make_unique<Dispatcher>(
        **engine, operations, clock, options, request_log, seeds.next(), admin_path,
        admin_path ? &requests.add_dispatcher() : nullptr, recent, &is_loading);
  };
  Lane lane{std::max(options.threads, cores), make_dispatcher};
  Lane admin_lane{1, make_dispatcher};
  WriteLane write_lane{(*engine)->commit_queue(), make_dispatcher};
  std::vector<std::unique_ptr<Worker>> workers;
  for (unsigned i = 0; i < options.threads; ++i) {
    workers.push_back(std::make_unique<Worker>(
        WorkerParts{**engine, operations, clock, options, memory, request_log, lane, admin_lane,
                    write_lane, admin_path, admin_path ? &requests : nullptr, recent, &is_loading},
        seeds.next()));
  }
  auto listener = Listener::open(workers.front()->executor(), options, connections);
  if (!listener) return fail(listener.error());

  const std::string address = (*listener)->address();
  const bool was_prepared = serve(**engine, workers, **listener, tls->get(),
                                  options.banner + start_line(options, address), admin, shutdown,
                                  seeding(options, address), is_loading);
  return was_prepared ? 0 : 1;
}

}  // namespace stator

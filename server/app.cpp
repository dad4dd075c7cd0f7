// See app.h. Members are constructed in the order in which they depend on each other.
//
// Threads: the calling thread is the first worker and also accepts connections. Others are the
// further workers, the maintainer, the signal thread, with --sync commit the commit queue's, and
// with --seed one that loads it. These start when first needed: threads of the lane for long reads
// and large bodies, one for long writes, one for exports, two for admin verbs, those of triggers.

#include "server/app.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <boost/asio/ssl/context.hpp>

#include "engine/api/engine.h"
#include "engine/api/operation_table.h"
#include "server/access/access_control.h"
#include "server/admin/verbs.h"
#include "server/cli/mcp/mcp_door.h"
#include "server/connections/listener.h"
#include "server/connections/tls.h"
#include "server/console/console.h"
#include "server/data/data_options.h"
#include "server/data/objects/folder_store.h"
#include "server/data/s3/s3_store.h"
#include "server/data/transfer/interrupt.h"
#include "server/dispatch/admin.h"
#include "server/dispatch/live_settings.h"
#include "server/dispatch/request_log.h"
#include "server/dispatch/stream_readers.h"
#include "server/faults/fault_rules.h"
#include "server/jobs/jobs.h"
#include "server/kinesis/kinesis_sender.h"
#include "server/log/log.h"
#include "server/log/output.h"
#include "server/metrics/metrics.h"
#include "server/options/version.h"
#include "server/start/access_start.h"
#include "server/start/faults_at_start.h"
#include "server/templates/seeding/seed.h"
#include "server/threads/maintainer.h"
#include "server/threads/shutdown.h"
#include "server/threads/use_sampler.h"
#include "server/threads/worker.h"
#include "server/triggers/api/lambda_api.h"
#include "server/triggers/delivery/triggers.h"
#include "server/triggers/functions.h"
#include "server/triggers/invocation/invoker.h"
#include "server/triggers/mapping_store.h"
#include "server/triggers/runtimes/runtimes.h"
#include "streams/operations.h"

namespace stator {

namespace {

// Threads for long reads.
constexpr unsigned kLaneThreadsMax = 4;
// Calls of functions that clients wait for, at a time.
constexpr unsigned kFunctionThreads = 16;
// Of --request-timeout: leaves an admin verb time to report what it has done by then.
constexpr int kAdminPatienceQuarters = 3;
constexpr std::chrono::seconds kSeedTimeout{60};
constexpr std::chrono::seconds kKinesisTimeout{10};  // for one request
// Time at exit to write out what is queued for stdout and stderr.
constexpr std::chrono::milliseconds kOutputPatience{500};

std::chrono::milliseconds admin_patience(const Options& options) {
  return options.request_timeout * kAdminPatienceQuarters / 4;
}

int fail_at_start(const std::string& line) {
  output::write(output::Stream::Stderr, "stator: " + line + "\n");
  return 1;
}

// Starts the log. Makes writes to a closed pipe, or to a file at its size limit, fail with an
// error, like a full disk.
void start_log(const Options& options) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  log::start(options.log_level, options.log_format);
}

std::string scheme_of(const Options& options) {
  return options.tls.is_on() ? "https://" : "http://";
}

std::string start_line(const Options& options, const std::string& address) {
  const auto& folder = options.settings.storage.folder;
  return version_text() + " listening on " + scheme_of(options) + address + " (data in " +
         (folder ? folder->string() : "memory") + ")\n";
}

// The text of --host as in a URL.
std::string url_host(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

// Starts the log, reports what the command line left to report, and completes the options.
Options prepare(Options options, Random& random) {
  start_log(options);
  for (const std::string& line : options.warnings) log::warn(line);
  options.origins.token_for_all = options.auth != AuthMode::Off;
  const bool is_open = !options.origins.token_for_all && is_loopback_host(url_host(options.host));
  if (!options.has_admin_path || is_open) return options;
  options.origins.token = options.console_token.empty() ? random.uuid() : options.console_token;
  if (options.console_token == kNoConsoleToken) {
    options.origins.token.clear();
    log::warn(options.origins.token_for_all
                  ? "--console-token none: with --auth nobody may use the admin path"
                  : "--console-token none: every browser that reaches this port may use the admin "
                    "path");
  }
  return options;
}

// Programs that expect DynamoDB Local read its output, so there is no line for them. With all
// addresses it shows the one that is sure to work on this machine.
std::string console_line(const Options& options, const Console& console,
                         const std::string& address) {
  const bool is_silent = !options.has_admin_path || !console.is_served() ||
                         options.root_answer == RootAnswer::MissingToken;
  if (is_silent) return {};
  const std::string host =
      options.host == "*" ? "localhost" + address.substr(address.rfind(':')) : address;
  const std::string& token = options.origins.token;
  return "Console: " + scheme_of(options) + host + "/_stator/console/" +
         (token.empty() ? "" : "#token=" + token) + "\n";
}

// All that stdout gets.
std::string start_text(const Options& options, const Console& console, const std::string& address) {
  return options.banner + start_line(options, address) + console_line(options, console, address);
}

// Returns nullptr if TLS is off.
tl::expected<std::unique_ptr<boost::asio::ssl::context>, std::string> make_tls_where_asked(
    const TlsOptions& options) {
  if (!options.is_on()) return nullptr;
  return make_tls_context(options);
}

// Returns nullptr if the admin path is off, which alone shows them.
std::unique_ptr<RecentRequests> make_recent_requests(const Options& options) {
  if (!options.has_admin_path) return nullptr;
  return std::make_unique<RecentRequests>(options.requests_kept);
}

// Long reads may use all cores, even if few threads serve connections.
unsigned lane_threads(const Options& options) {
  return std::max(options.threads,
                  std::clamp(std::thread::hardware_concurrency(), 1U, kLaneThreadsMax));
}

// Lets agents use the server through its own address. Returns a function that loads the tables of
// --seed that way; empty without --seed.
std::function<bool()> own_doors(const Options& options, const std::string& address,
                                const std::unique_ptr<access::AccessControl>& access,
                                mcp::McpDoor& agents) {
  HealthOptions own;
  own.is_tls = options.tls.is_on();
  own.host = options.host;
  own.port = static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
  own.timeout = kSeedTimeout;
  own.token = options.origins.token;
  data::Endpoint endpoint = data::own_endpoint(own);
  if (access != nullptr) endpoint.credentials = {access->own_key(), access->own_secret(), {}};
  agents.open(endpoint, is_loopback_host(url_host(options.host)));
  if (options.seed_path.empty()) return {};
  return [endpoint, &options] { return templates::seed(endpoint, options.seed_path); };
}

// Mappings, their API, and what calls functions.
struct TriggerParts {
  TriggerParts(Engine& engine, const Options& options)
      : mappings(engine),
        functions(options.triggers),
        runtimes(functions),
        lambda({engine, options.settings, mappings, functions}),
        deliveries(engine, mappings, functions, runtimes, options.triggers),
        invoker(functions, options.settings, runtimes,
                std::bind_front(&triggers::Triggers::take_event, &deliveries)),
        services{&lambda, &runtimes, &invoker} {}

  // Ends what waits for functions and for their processes.
  void end() { invoker.end(); }

  triggers::MappingStore mappings;
  const triggers::Functions functions;
  triggers::Runtimes runtimes;
  triggers::LambdaApi lambda;
  triggers::Triggers deliveries;
  triggers::Invoker invoker;
  const LambdaServices services;
};

// Threads for what a network thread leaves to others.
struct Lanes {
  template <class MakeDispatcher>
  Lanes(Engine& engine, const Options& options, const MakeDispatcher& make_dispatcher)
      : long_work(lane_threads(options), make_dispatcher),
        admin(1, make_dispatcher),
        admin_reads(1, make_dispatcher),
        functions(kFunctionThreads, make_dispatcher),
        writes(engine, make_dispatcher) {}

  Lane long_work;
  Lane admin;
  Lane admin_reads;
  Lane functions;
  WriteLane writes;
};

LiveSettings::Outcome change_engine(Engine& engine, const Settings& settings) {
  switch (engine.change_settings(settings)) {
    case Engine::SettingsChange::Done:
      break;
    case Engine::SettingsChange::NotStored:
      return LiveSettings::Outcome::NotStored;
    case Engine::SettingsChange::NotFollowed:
      return LiveSettings::Outcome::NotFollowed;
  }
  return LiveSettings::Outcome::Done;
}

// What verbs show and change beside the engine.
struct AdminState {
  AdminState(Engine& engine, const Options& options)
      : recent(make_recent_requests(options)),
        sampler(engine, options.has_admin_path && options.settings.throttling != Throttling::Off),
        settings(options.settings, options.requests_kept,
                 {[&engine](std::chrono::microseconds age) { engine.retain_states(age); },
                  [&engine](const Settings& changed) { return change_engine(engine, changed); },
                  [this](std::size_t count) { recent->resize(count); }}),
        console(console_files(), options.has_console),
        agents(options.origins) {}

  const std::unique_ptr<RecentRequests> recent;
  UseSampler sampler;
  StreamReaders readers;
  LiveSettings settings;
  const Console console;
  mcp::McpDoor agents;
};

// Where exports are written.
std::unique_ptr<data::ObjectStore> make_object_store(const Options& options) {
  if (options.s3_server) {
    HealthOptions server = *options.s3_server;
    server.timeout = options.s3_timeout;
    return data::make_s3_store(data::s3_endpoint(server));
  }
  if (!options.s3_root.empty()) return data::make_folder_store(options.s3_root);
  const auto& folder = options.settings.storage.folder;
  return folder ? data::make_folder_store(*folder / "s3") : data::make_missing_store();
}

std::vector<std::unique_ptr<Worker>> make_workers(const WorkerParts& parts, Random& seeds) {
  std::vector<std::unique_ptr<Worker>> workers;
  for (unsigned i = 0; i < parts.options.threads; ++i)
    workers.push_back(std::make_unique<Worker>(parts, seeds.next()));
  return workers;
}

// Where changes of tables are sent; nullptr if this server hosts the streams itself.
std::unique_ptr<KinesisSender> make_kinesis_sender(Engine& engine, const Options& options) {
  if (!options.kinesis_server) return nullptr;
  HealthOptions server = *options.kinesis_server;
  server.timeout = kKinesisTimeout;
  return std::make_unique<KinesisSender>(engine, data::kinesis_endpoint(server),
                                         options.settings.streams.bytes_max);
}

// Runs `prepare` on its own thread while the server responds, then prints the start line and serves
// until a signal. `is_loading` is true until `prepare` ends. If `prepare` returns false, the server
// stops. Returns the exit status, which says what `prepare` returned.
int serve(Engine& engine, std::span<const std::unique_ptr<Worker>> workers, Listener& listener,
          boost::asio::ssl::context* tls, const std::string& start_text, Admin& admin,
          Shutdown& shutdown, TriggerParts& triggers, const std::function<bool()>& prepare,
          std::atomic<bool>& is_loading) {
  const triggers::Triggers::Running delivering{triggers.deliveries};
  const auto ask = [&] {
    admin.end();
    triggers.end();
    workers.front()->post([&listener] { listener.stop(); });
    for (const auto& worker : workers) worker->stop();
    engine.abort_in_flight();
  };
  const auto force_close = [&] {
    for (const auto& worker : workers) worker->force_close();
  };
  shutdown.start(ask, force_close);
  listener.start(workers, tls);
  const auto announce = [&start_text] {
    // A script that waits for this line may send a signal immediately after it.
    output::write(output::Stream::Stdout, start_text);
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
      shutdown.stop(1);
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
  return is_prepared ? 0 : 1;
}

}  // namespace

int run_app(const Options& given) {
  SystemRandom seeds;  // for request ids and faults; the commit queue alone uses the engine's
  Options options = prepare(given, seeds);
  Shutdown shutdown;  // destroyed last: it ends the process if the rest hangs
  const output::Finish output_end{kOutputPatience};
  auto directory = read_access_file(options);
  if (!directory) return fail_at_start(directory.error());
  const SystemClock clock;  // for HTTP: Date, signatures
  MovableClock movable_clock{clock};
  SystemRandom random;
  const auto tls = make_tls_where_asked(options.tls);
  if (!tls) return fail_at_start(tls.error());
  auto engine = Engine::open(options.settings, movable_clock, random, log::warn);
  if (!engine) return fail_at_start(engine.error());
  const OperationTable operations(served_families());
  TriggerParts triggers{**engine, options};
  const auto objects = make_object_store(options);
  Jobs jobs{**engine, *objects, all_job_kinds(**engine, *objects)};
  const auto kinesis = make_kinesis_sender(**engine, options);
  Maintainer maintainer{**engine};
  AdminState own{**engine, options};
  RequestMemory memory{options.memory_bytes_max};
  const auto connections = std::make_shared<ConnectionCounts>();
  AllRequestCounters requests{operations.rows().size() + 1};
  const auto faults = make_faults(options, seeds, operations, **engine, own.settings);
  if (!faults) return fail_at_start(faults.error());
  const Metrics metrics{{**engine, options.settings, clock, operations, requests, memory,
                         *connections, clock.now(), faults->get(),
                         [&triggers] { return triggers.deliveries.figures(); }}};
  const auto access = make_access(options, *std::move(directory), **engine, shutdown);
  Admin admin{{**engine, movable_clock, maintainer, options.settings, metrics, own.recent.get(),
               own.console, options, operations, clock.now(), admin_patience(options),
               faults->get(), access.get(), &triggers.mappings, &triggers.deliveries, &own.sampler,
               &own.settings, &own.agents, &own.readers},
              admin_verbs()};
  Admin* const admin_path = options.has_admin_path ? &admin : nullptr;
  RequestLog request_log{options.slow_request};
  std::atomic<bool> is_loading{!options.seed_path.empty()};
  const auto make_dispatcher = [&] {
    return std::make_unique<Dispatcher>(
        **engine, operations, clock, options, request_log, seeds.next(), admin_path,
        admin_path ? &requests.add_dispatcher() : nullptr, own.recent.get(), &is_loading,
        faults->get(), access.get(), triggers.services);
  };
  Lanes lanes{**engine, options, make_dispatcher};
  const auto workers =
      make_workers({**engine, operations, clock, options, memory, request_log, lanes.long_work,
                    lanes.admin, lanes.admin_reads, lanes.functions, lanes.writes, admin_path,
                    admin_path ? &requests : nullptr, own.recent.get(), &is_loading, faults->get(),
                    access.get(), triggers.services},
                   seeds);
  auto listener = Listener::open(workers.front()->executor(), options, connections);
  if (!listener) return fail_at_start(listener.error());
  const std::string address = (*listener)->address();
  return reported(
      serve(**engine, workers, **listener, tls->get(), start_text(options, own.console, address),
            admin, shutdown, triggers, own_doors(options, address, access, own.agents), is_loading),
      options, access.get());
}

}  // namespace stator

// server/cli/command_line/command_line.cpp and server/cli/dynamodb_local/local_options.cpp: both
// styles of command line, and the environment.

#include "server/cli/command_line/command_line.h"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/storage/durability/store_options.h"
#include "server/cli/commands/health.h"
#include "server/options/options.h"
#include "server/options/server_address.h"
#include "server/options/version.h"
#include "tests/unit/server/harness/environment_variable.h"

namespace stator {
namespace {

using namespace std::chrono_literals;

tl::expected<Options, OptionsExit> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "stator");
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

Options good(std::vector<const char*> arguments) {
  const auto options = parse(std::move(arguments));
  if (!options) FAIL(options.error().text);
  return *options;
}

OptionsExit ending(std::vector<const char*> arguments) {
  const auto options = parse(std::move(arguments));
  REQUIRE_FALSE(options.has_value());
  return options.error();
}

TEST_CASE("options: defaults", "[server]") {
  for (const Options& options : {good({}), good({"serve"})}) {
    CHECK(options.port == 8000);
    CHECK(options.host == "localhost");
    CHECK_FALSE(options.settings.storage.folder.has_value());
    CHECK(options.settings.isolation == Isolation::Region);
    CHECK(options.settings.error_wording == Profile::Current);
    CHECK(options.settings.account_id == "000000000000");
    CHECK(options.settings.control_plane_delay == 0us);
    CHECK(options.settings.gsi_delay == 0us);
    CHECK(options.settings.eventual_read_lag == 0us);
    CHECK(options.root_answer == RootAnswer::Healthy);
    CHECK(options.idle_timeout == 300s);
    CHECK(options.request_timeout == 60s);
    CHECK(options.connections_max == 4096);
    CHECK((options.threads >= 1 && options.threads <= 4));
    CHECK_FALSE(options.tls.is_on());
    CHECK_FALSE(options.checks_signature_age);
    CHECK(options.banner.empty());
  }
}

TEST_CASE("options: every own flag", "[server]") {
  const Options options = good({"serve",
                                "--port",
                                "0",
                                "--host=::",
                                "--db-path",
                                "/d",
                                "--sync",
                                "commit",
                                "--max-bytes",
                                "2G",
                                "--error-wording",
                                "classic",
                                "--isolate",
                                "key",
                                "--item-collection-limit",
                                "64K",
                                "--control-plane-delay",
                                "0.25",
                                "--gsi-delay",
                                "1.5",
                                "--eventual-read-lag",
                                "0.75",
                                "--ttl-delay",
                                "2.5",
                                "--ttl-sweep-interval",
                                "0",
                                "--policy-lag",
                                "1.5",
                                "--ttl-cooldown",
                                "1860",
                                "--stream-shards",
                                "4",
                                "--stream-retention",
                                "60",
                                "--stream-rollover",
                                "1.5",
                                "--stream-max-bytes",
                                "2M",
                                "--account-id",
                                "123456789012",
                                "--threads",
                                "3",
                                "--sync-interval",
                                "0.25",
                                "--max-connections",
                                "7",
                                "--idle-timeout",
                                "1.5",
                                "--request-timeout",
                                "0.2",
                                "--tls-cert",
                                "c",
                                "--tls-key",
                                "k",
                                "--http-root",
                                "local",
                                "--check-signature-age",
                                "--log-level",
                                "debug",
                                "--log-format",
                                "json"});
  CHECK(options.port == 0);
  CHECK(options.host == "::");
  CHECK(options.settings.storage.folder == "/d");
  CHECK(options.settings.storage.sync == storage::Sync::Commit);
  CHECK(options.settings.storage.sync_interval == 250ms);
  CHECK(options.settings.storage.map_bytes_max == std::size_t{2} << 30);
  CHECK(options.settings.error_wording == Profile::Classic);
  CHECK(options.settings.isolation == Isolation::Key);
  CHECK(options.settings.item_collection_bytes_max == 64 * 1024);
  CHECK(options.settings.control_plane_delay == 250ms);
  CHECK(options.settings.gsi_delay == 1500ms);
  CHECK(options.settings.eventual_read_lag == 750ms);
  CHECK(options.settings.ttl_delay == 2500ms);
  CHECK(options.settings.ttl_sweep_interval == 0ms);
  CHECK(options.settings.policy_lag == 1500ms);
  CHECK(options.settings.ttl_cooldown == 31min);
  CHECK(options.settings.streams.shards == 4);
  CHECK(options.settings.streams.retention == 1min);
  CHECK(options.settings.streams.rollover_after == 1500ms);
  CHECK(options.settings.streams.bytes_max == std::uint64_t{2} << 20);
  CHECK(options.settings.account_id == "123456789012");
  CHECK(options.threads == 3);
  CHECK(options.connections_max == 7);
  CHECK(options.idle_timeout == 1500ms);
  CHECK(options.request_timeout == 200ms);
  CHECK(options.tls.certificate_file == "c");
  CHECK(options.tls.key_file == "k");
  CHECK(options.root_answer == RootAnswer::MissingToken);
  CHECK(options.checks_signature_age);
  CHECK(options.log_level == log::Level::Debug);
  CHECK(options.log_format == log::Format::Json);
  CHECK(good({"--tls", "self-signed"}).tls.is_self_signed);
  CHECK(good({"--max-bytes", "1048576"}).settings.storage.map_bytes_max == 1048576);
  CHECK(good({"--max-bytes", "1024K"}).settings.storage.map_bytes_max == 1048576);
}

TEST_CASE("options: how time begins", "[server]") {
  const auto clock = [](const char* text) { return good({"--clock", text}).settings.clock; };
  CHECK_FALSE(good({}).settings.clock.stands);
  CHECK(clock("real").stands == false);
  CHECK(clock("manual").stands == true);
  CHECK_FALSE(clock("manual").at);
  CHECK(clock("2027-01-01T00:00:00Z").stands == true);
  CHECK(clock("2027-01-01T00:00:00Z").at == Timestamp{1'798'761'600'000'000});
}

TEST_CASE("options: a mistake is one line and status 2", "[server]") {
  const std::vector<std::vector<const char*>> mistakes = {
      {"--bogus"},
      {"stray"},
      {"--port"},
      {"--port", "x"},
      {"--port", "65536"},
      {"--port", "1", "--port", "2"},
      {"--sync", "never"},
      {"--isolate", "0"},
      {"--error-wording", "old"},
      {"--account-id", "12345678901"},
      {"--account-id", "12345678901x"},
      {"--control-plane-delay", "-1"},
      {"--gsi-delay", "-1"},
      {"--eventual-read-lag", "soon"},
      {"--ttl-delay", "-1"},
      {"--ttl-sweep-interval", "-1"},
      {"--ttl-cooldown", "long"},
      {"--stream-shards", "0"},
      {"--stream-shards", "101"},
      {"--stream-retention", "0"},
      {"--stream-rollover", "0.5"},
      {"--stream-max-bytes", "1"},
      {"--idle-timeout", "0"},
      {"--request-timeout", "nan"},
      {"--threads", "0"},
      {"--threads", "65"},
      {"--max-connections", "0"},
      {"--max-bytes", "1"},
      {"--item-collection-limit", "0"},
      {"--item-collection-limit", "-1"},
      {"--max-bytes", "9X"},
      {"--max-bytes", "999999999999999T"},
      {"--clock", "moon"},
      {"--clock", "1969-12-31T23:59:59Z"},
      {"--tls-cert", "c"},
      {"--tls-key", "k"},
      {"--tls", "on"},
      {"--tls", "self-signed", "--tls-cert", "c", "--tls-key", "k"},
      {"--log-level", "loud"},
      {"--log-format", "xml"},
      {"--http-root", "x"},
      {"-bogus"},
      {"-port"},
      {"-port", "x"},
      {"-port", "70000"},
      {"-inMemory", "--port", "1"},
      {"--port", "1", "-inMemory"},
  };
  for (const auto& arguments : mistakes) {
    INFO(arguments.front());
    const OptionsExit exit = ending(arguments);
    CHECK(exit.status == 2);
    CHECK_FALSE(exit.text.empty());
    CHECK(exit.text.find('\n') == std::string::npos);
  }
}

TEST_CASE("options: help fits on a screen", "[server]") {
  for (const char* flag : {"--help", "-h", "-help"}) {
    const OptionsExit exit = ending({flag});
    CHECK(exit.status == 0);
    CHECK(std::count(exit.text.begin(), exit.text.end(), '\n') <= 40);
    for (std::size_t start = 0; start < exit.text.size();) {
      const std::size_t end = exit.text.find('\n', start);
      CHECK(end - start <= 80);
      start = end + 1;
    }
  }
  CHECK(ending({"--version"}).status == 0);
  CHECK(ending({"--version"}).text == version_text() + "\n");
  CHECK(ending({"-version"}).text == "3.3.1\n");
}

TEST_CASE("options: the environment, which flags override", "[server]") {
  const Variable port{"STATOR_PORT", "1234"};
  const Variable path{"STATOR_DB_PATH", "/from/environment"};
  const Variable age{"STATOR_CHECK_SIGNATURE_AGE", "true"};
  CHECK(good({}).port == 1234);
  CHECK(good({}).settings.storage.folder == "/from/environment");
  CHECK(good({}).checks_signature_age);
  CHECK(good({"--port", "5"}).port == 5);
  CHECK(good({"-inMemory"}).port == 1234);
  CHECK_FALSE(good({"-inMemory"}).settings.storage.folder.has_value());
  CHECK(good({"-port", "6"}).port == 6);
  const Variable bad{"STATOR_THREADS", "many"};
  CHECK(ending({}).status == 2);
  CHECK(ending({"-inMemory"}).status == 2);
}

TEST_CASE("options: DynamoDB Local's flags mean what they mean there", "[server]") {
  const Options plain = good({"-jar", "DynamoDBLocal.jar"});
  CHECK(plain.settings.storage.folder == ".");
  CHECK(plain.settings.isolation == Isolation::Key);
  CHECK(plain.host == "*");
  CHECK(plain.port == 8000);
  CHECK(plain.root_answer == RootAnswer::MissingToken);
  CHECK(plain.origins.origins == "*");

  const Options options =
      good({"-Djava.library.path=./DynamoDBLocal_lib", "-Xmx512m", "-jar", "DynamoDBLocal.jar",
            "-sharedDb", "-dbPath", "/data", "-port", "4567", "-cors", "http://a,http://b",
            "-delayTransientStatuses", "-optimizeDbBeforeStartup", "-disableTelemetry"});
  CHECK(options.settings.storage.folder == "/data");
  CHECK(options.settings.isolation == Isolation::None);
  CHECK(options.settings.index_delay > 1s);
  CHECK(options.settings.control_plane_delay == 0us);
  CHECK(options.port == 4567);
  CHECK(options.origins.origins == "http://a,http://b");
  CHECK(options.banner ==
        "Initializing DynamoDB Local with the following configuration:\n"
        "Port:\t4567\nInMemory:\tfalse\nVersion:\t3.3.1\nDbPath:\t/data\nSharedDb:\ttrue\n"
        "shouldDelayTransientStatuses:\ttrue\nCorsParams:\thttp://a,http://b\n\n");

  CHECK_FALSE(good({"-inMemory"}).settings.storage.folder.has_value());
  CHECK(good({"-inMemory"}).banner.find("DbPath:\tnull\n") != std::string::npos);
  CHECK(good({"-Dx=y", "-inMemory"}).banner.find("InMemory:\ttrue\n") != std::string::npos);
  const OptionsExit both = ending({"-inMemory", "-dbPath", "/d"});
  CHECK(both.status != 0);
  CHECK(both.text == "dbPath and inMemory cannot be set at the same time.");
  CHECK(ending({"-x"}).status == 2);
  CHECK(ending({"-foo"}).text == "Error while parsing options. Unrecognized option: -foo");
}

tl::expected<Command, OptionsExit> command(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "stator");
  return parse_command(static_cast<int>(arguments.size()), arguments.data());
}

HealthOptions health(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "health");
  const auto parsed = command(std::move(arguments));
  if (!parsed) FAIL(parsed.error().text);
  REQUIRE(std::holds_alternative<HealthOptions>(*parsed));
  return std::get<HealthOptions>(*parsed);
}

TEST_CASE("options: without health or version the command is to serve", "[server]") {
  for (const std::vector<const char*>& arguments :
       {std::vector<const char*>{}, {"serve"}, {"--port", "1"}, {"-inMemory", "-port", "1"}}) {
    const auto parsed = command(arguments);
    REQUIRE(parsed.has_value());
    CHECK(std::holds_alternative<Options>(*parsed));
  }
  CHECK(command({"version"}).error().status == 0);
  CHECK(command({"version"}).error().text == version_text() + "\n");
  CHECK(command({"version", "x"}).error().status == 2);
  CHECK(command({"nonsense"}).error().status == 2);
  CHECK(command({"nonsense"}).error().text.find("no such command: nonsense") != std::string::npos);
  CHECK(command({"serve", "health"}).error().status == 2);
}

TEST_CASE("options: what to do to a data folder", "[server]") {
  const auto backup = command({"backup", "to", "--db-path", "from"});
  REQUIRE(backup.has_value());
  CHECK(std::get<BackupOptions>(*backup).source == "from");
  CHECK(std::get<BackupOptions>(*backup).target == "to");
  const auto check = command({"check", "folder"});
  REQUIRE(check.has_value());
  CHECK(std::get<CheckOptions>(*check).folder == "folder");
  const auto compact = command({"compact", "folder"});
  REQUIRE(compact.has_value());
  CHECK(std::get<CompactOptions>(*compact).folder == "folder");
  for (const std::vector<const char*>& wrong : {std::vector<const char*>{"backup", "to"},
                                                {"backup", "--db-path", "from"},
                                                {"check"},
                                                {"compact"},
                                                {"check", "a", "b"},
                                                {"check", "a", "--db-path", "b"}}) {
    CHECK(command(wrong).error().status == 2);
  }
  CHECK(command({"backup", "--help"}).error().status == 0);
  CHECK(command({"compact", "--help"}).error().text.find("No server may use") != std::string::npos);
  CHECK(command({"check", "--help"}).error().text.find("every index") != std::string::npos);
}

TEST_CASE("options: how to move a clock", "[server]") {
  const auto clock = [](std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "clock");
    const auto parsed = command(std::move(arguments));
    if (!parsed) FAIL(parsed.error().text);
    return std::get<ClockOptions>(*parsed);
  };
  CHECK(clock({}).verb.empty());
  CHECK(clock({"get"}).verb.empty());
  CHECK(clock({"advance", "25h"}).verb == "advance");
  CHECK(clock({"advance", "25h"}).value == "25h");
  CHECK(clock({"set", "2027-01-01"}).verb == "set");
  CHECK(clock({"rate", "0.5"}).value == "0.5");
  CHECK(clock({"real"}).verb == "mode");
  CHECK(clock({"manual", "--port", "9"}).value == "manual");
  CHECK(clock({"--port", "9", "manual"}).server.port == 9);
  CHECK(clock({}).server.timeout == 60s);
  CHECK_FALSE(clock({}).server.is_chosen);
  CHECK(clock({"--endpoint", "https://host"}).server.is_tls);
  for (const std::vector<const char*>& wrong : {std::vector<const char*>{"back"},
                                                {"advance"},
                                                {"advance", "1h", "1h"},
                                                {"real", "1"},
                                                {"rate", "fast"},
                                                {"set"},
                                                {"--port", "0"},
                                                {"--region", "x"},
                                                {"get", "get"}}) {
    auto arguments = wrong;
    arguments.insert(arguments.begin(), "clock");
    const auto parsed = command(arguments);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().status == 2);
    CHECK(parsed.error().text.ends_with("(see stator clock --help)"));
  }
  CHECK(command({"clock", "--help"}).error().text.find("advance D") != std::string::npos);
}

TEST_CASE("options: what to reset", "[server]") {
  const auto all = command({"reset"});
  REQUIRE(all.has_value());
  CHECK_FALSE(std::get<ResetOptions>(*all).region);
  CHECK_FALSE(std::get<ResetOptions>(*all).streams);
  const auto some =
      command({"reset", "--region", "r", "--access-key", "k", "--streams", "--host", "h"});
  REQUIRE(some.has_value());
  CHECK(std::get<ResetOptions>(*some).region == "r");
  CHECK(std::get<ResetOptions>(*some).access_key == "k");
  CHECK(std::get<ResetOptions>(*some).streams);
  CHECK(std::get<ResetOptions>(*some).server.host == "h");
  CHECK(command({"reset", "all"}).error().status == 2);
  CHECK(command({"reset", "--help"}).error().status == 0);
}

TEST_CASE("options: whom to ask for its health", "[server]") {
  const HealthOptions plain = health({});
  CHECK(plain.host == "localhost");
  CHECK(plain.port == 8000);
  CHECK(plain.timeout == 3s);
  CHECK_FALSE(plain.is_tls);
  CHECK_FALSE(plain.is_chosen);
  CHECK_FALSE(health({"--timeout", "1"}).is_chosen);
  CHECK(health({"--host", "localhost"}).is_chosen);
  CHECK(health({"--port", "8000"}).is_chosen);
  CHECK(health({"--endpoint", "http://localhost"}).is_chosen);
  CHECK(address_text(plain) == "http://localhost:8000");
  CHECK(address_text(health({"--host", "::1", "--port", "5"})) == "http://[::1]:5");
  CHECK(health({"--timeout", "0.25"}).timeout == 250ms);
  const auto endpoint = [](const char* url) {
    return address_text(health({"--host", "other", "--endpoint", url, "--port", "9"}));
  };
  CHECK(endpoint("http://127.0.0.1:4567") == "http://127.0.0.1:4567");
  CHECK(endpoint("https://db.test:4567/") == "https://db.test:4567");
  CHECK(endpoint("http://[::1]:4567") == "http://[::1]:4567");
  CHECK(endpoint("http://[::1]") == "http://[::1]:80");
  CHECK(endpoint("http://db.test") == "http://db.test:80");
  CHECK(endpoint("https://db.test/") == "https://db.test:443");
  CHECK(command({"health", "--help"}).error().status == 0);
  CHECK(command({"health", "-h"}).error().text.find("--endpoint") != std::string::npos);

  for (const char* name : {"STATOR_PORT", "STATOR_HOST"}) {
    const Variable variable{name, "1"};
    CHECK(health({}).is_chosen);
  }
  const Variable port{"STATOR_PORT", "1234"};
  const Variable host{"STATOR_HOST", "::"};
  const Variable bad{"STATOR_THREADS", "many"};  // the server's affair
  CHECK(address_text(health({})) == "http://[::]:1234");
  CHECK(address_text(health({"--port", "5"})) == "http://[::]:5");
  const Variable tls{"STATOR_TLS_CERT", "/cert.pem"};
  CHECK(address_text(health({})) == "https://[::]:1234");
  CHECK(endpoint("http://db.test:1") == "http://db.test:1");
}

TEST_CASE("options: a mistake in health is one line and status 2", "[server]") {
  const std::vector<std::vector<const char*>> mistakes = {
      {"x"},
      {"--bogus"},
      {"--port", "0"},
      {"--port", "65536"},
      {"--port", "x"},
      {"--timeout", "0"},
      {"--timeout", "-1"},
      {"--timeout", "nan"},
      {"--timeout", "soon"},
      {"--endpoint"},
      {"--endpoint", ""},
      {"--endpoint", "localhost:8000"},
      {"--endpoint", "ftp://localhost:8000"},
      {"--endpoint", "http://"},
      {"--endpoint", "http://:8000"},
      {"--endpoint", "http://h:"},
      {"--endpoint", "http://h:0"},
      {"--endpoint", "http://h:65536"},
      {"--endpoint", "http://h:80x"},
      {"--endpoint", "http://h:80/path"},
      {"--endpoint", "http://h/path"},
      {"--endpoint", "http://u@h"},
      {"--endpoint", "http://[::1"},
      {"--endpoint", "http://[::1]8000"},
      {"--endpoint", "http://[]:8000"},
      {"-inMemory"},
  };
  for (auto arguments : mistakes) {
    INFO(arguments.back());
    arguments.insert(arguments.begin(), "health");
    const auto parsed = command(arguments);
    REQUIRE_FALSE(parsed.has_value());
    CHECK(parsed.error().status == 2);
    CHECK_FALSE(parsed.error().text.empty());
    CHECK(parsed.error().text.find('\n') == std::string::npos);
  }
}

TEST_CASE("options: the console and its token", "[server]") {
  CHECK(good({}).has_console);
  CHECK_FALSE(good({"--console", "off"}).has_console);
  CHECK(good({}).console_token.empty());
  CHECK(good({"--console-token", "none"}).console_token == "none");
  CHECK(good({"--console-token", "0123456789_abc-DE"}).console_token == "0123456789_abc-DE");
  for (const char* const wrong : {"", "0123456789abcde", "0123456789abcdef#", "0123456789 abcdef"})
    CHECK(ending({"--console-token", wrong}).status == 2);
  CHECK(ending({"--console-token", std::string(129, 'a').c_str()}).status == 2);
  CHECK(ending({"--console", "yes"}).status == 2);
}

}  // namespace
}  // namespace stator

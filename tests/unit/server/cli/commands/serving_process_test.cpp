// server/cli/commands/serving_process.cpp on a folder that looks like /proc.

#include "server/cli/commands/serving_process.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/cli/commands/health.h"
#include "server/options/server_address.h"

namespace stator {
namespace {

namespace fs = std::filesystem;

// A folder of the test's own, with two programs and the processes that run them.
class FakeProc {
 public:
  FakeProc() {
    std::string name = (fs::temp_directory_path() / "stator-proc-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    for (const char* program : {"stator", "other"}) std::ofstream{folder_ / program} << program;
    fs::create_directory(proc());
    add("self", {"stator", "health"});
    std::ofstream{proc() / "uptime"} << "1 2";
  }
  ~FakeProc() { fs::remove_all(folder_); }
  FakeProc(const FakeProc&) = delete;
  FakeProc& operator=(const FakeProc&) = delete;

  fs::path proc() const { return folder_ / "proc"; }

  void add(const std::string& number, const std::vector<std::string>& arguments,
           const char* program = "stator") {
    const fs::path process = proc() / number;
    fs::create_directory(process);
    fs::create_symlink(folder_ / program, process / "exe");
    std::ofstream file{process / "cmdline", std::ios::binary};
    for (const std::string& argument : arguments) file << argument << '\0';
  }

  std::string address(const HealthOptions& options = {}) const {
    return address_text(aimed_at_serving_process(options, proc()));
  }

 private:
  fs::path folder_;
};

const std::string kDefault = "http://localhost:8000";

TEST_CASE("serving process: its command line tells where it listens", "[server]") {
  const struct {
    std::vector<std::string> arguments;
    std::string address;
  } cases[] = {
      {{"stator", "--port", "9000"}, "http://localhost:9000"},
      {{"/usr/bin/stator", "serve", "--port=9000", "--host", "::1"}, "http://[::1]:9000"},
      {{"stator", "--host", "", "--db-path", "/x"}, "http://:8000"},
      {{"stator", "--tls", "self-signed", "--port", "9"}, "https://localhost:9"},
      {{"stator", "--tls-cert", "c", "--tls-key", "k"}, "https://localhost:8000"},
      {{"stator", "-inMemory", "-port", "9000"}, "http://localhost:9000"},
      {{"java", "-Dx", "-jar", "DynamoDBLocal.jar", "-port", "9000"}, "http://localhost:9000"},
      {{"/usr/bin/java", "--port", "9000"}, "http://localhost:9000"},
      {{"java", "serve"}, "http://localhost:8000"},
  };
  for (const auto& [arguments, address] : cases) {
    FakeProc fake;
    fake.add("71", arguments);
    INFO(address);
    CHECK(fake.address() == address);
  }
}

TEST_CASE("serving process: what serves nothing that can be asked is passed over", "[server]") {
  FakeProc fake;
  CHECK(fake.address() == kDefault);
  fake.add("10", {"other", "--port", "9000"}, "other");
  fake.add("11", {"stator", "health", "--port", "9000"});
  fake.add("12", {"stator", "version"});
  fake.add("13", {"stator", "--bogus", "--port", "9000"});
  fake.add("14", {"stator", "--port", "0"});
  fake.add("15", {"java", "-version"});
  fake.add("16", {});
  fake.add("17x", {"stator", "--port", "9000"});
  fake.add("18", {"stator", "--port", "9000"}, "no such file");
  fs::create_directory(fake.proc() / "19");
  fs::create_directory(fake.proc() / "20");
  fs::create_symlink(fake.proc() / "self" / "exe", fake.proc() / "20" / "exe");
  CHECK(fake.address() == kDefault);
  fake.add("21", {"stator", "--port", "9001"});
  CHECK(fake.address() == "http://localhost:9001");
}

TEST_CASE("serving process: the default port first, then the lowest number", "[server]") {
  FakeProc fake;
  fake.add("300", {"stator", "--port", "9300"});
  fake.add("4000", {"stator", "--port", "9400"});
  CHECK(fake.address() == "http://localhost:9300");
  fake.add("9", {"stator", "--port", "9009"});
  fake.add("25", {"stator", "--port", "9025"});
  CHECK(fake.address() == "http://localhost:9009");
  fake.add("5000", {"java", "-jar", "DynamoDBLocal.jar"});
  CHECK(fake.address() == "http://localhost:8000");
  fake.add("2000", {"stator", "serve"});
  CHECK(fake.address() == "http://localhost:8000");
}

TEST_CASE("serving process: nothing found changes nothing", "[server]") {
  HealthOptions options;
  options.port = 8001;
  options.is_tls = true;
  options.timeout = std::chrono::milliseconds{250};
  const FakeProc fake;
  CHECK(fake.address(options) == "https://localhost:8001");
  const auto nowhere = aimed_at_serving_process(options, fake.proc() / "missing");
  CHECK(address_text(nowhere) == "https://localhost:8001");
  CHECK(nowhere.timeout == options.timeout);
}

TEST_CASE("serving process: the rest of the question stays", "[server]") {
  FakeProc fake;
  fake.add("7", {"stator", "--port", "9000"});
  HealthOptions options;
  options.is_tls = true;  // the server's own flags know better
  options.timeout = std::chrono::milliseconds{250};
  const HealthOptions aimed = aimed_at_serving_process(options, fake.proc());
  CHECK(address_text(aimed) == "http://localhost:9000");
  CHECK(aimed.timeout == options.timeout);
}

}  // namespace
}  // namespace stator

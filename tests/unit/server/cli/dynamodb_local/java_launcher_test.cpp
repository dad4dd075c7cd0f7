// server/cli/dynamodb_local/java_launcher.cpp through parse_options: what a program named java
// accepts, what it answers where Java would end by itself, and what holds there without a flag.

#include "server/cli/dynamodb_local/java_launcher.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/cli/command_line/command_line.h"
#include "server/options/version.h"
#include "tests/unit/server/harness/environment_variable.h"

namespace stator {
namespace {

using NamedValues = std::vector<const char*>;

const char* const kLibraryPath = "-Djava.library.path=./DynamoDBLocal_lib";
const char* const kMainClass = "com.amazonaws.services.dynamodbv2.local.main.ServerRunner";

tl::expected<Options, OptionsExit> parse_as(const char* program, NamedValues arguments) {
  arguments.insert(arguments.begin(), program);
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

Options good(NamedValues arguments, const char* program = "/usr/bin/java") {
  const auto options = parse_as(program, std::move(arguments));
  if (!options) FAIL(options.error().text);
  return *options;
}

OptionsExit ending(NamedValues arguments, const char* program = "java") {
  const auto options = parse_as(program, std::move(arguments));
  REQUIRE_FALSE(options.has_value());
  return options.error();
}

// With these words before it, `-sharedDb -inMemory -port 4567` is DynamoDB Local's.
void check_serves(NamedValues arguments, const char* program = "/usr/bin/java") {
  for (const char* word : {"-sharedDb", "-inMemory", "-port", "4567"}) arguments.push_back(word);
  INFO(arguments.front());
  const Options options = good(std::move(arguments), program);
  CHECK(options.port == 4567);
  CHECK(options.settings.isolation == Isolation::None);
  CHECK_FALSE(options.settings.storage.folder.has_value());
  CHECK(options.host == "*");
  CHECK(options.root_answer == RootAnswer::MissingToken);
  CHECK(options.banner.starts_with("Initializing DynamoDB Local with"));
}

TEST_CASE("java: its name", "[server]") {
  CHECK(is_java_name("java"));
  CHECK(is_java_name("/usr/bin/java"));
  CHECK(is_java_name("./java"));
  for (const char* name :
       {"stator", "/usr/bin/stator", "javac", "java8", "/java/stator", "", "/"}) {
    INFO(name);
    CHECK_FALSE(is_java_name(name));
  }
}

TEST_CASE("java: its options are passed over", "[server]") {
  const NamedValues jar_forms[] = {
      {"-jar", "DynamoDBLocal.jar"},
      {"-jar", "/no/such/folder/DynamoDBLocal.jar"},
      {kLibraryPath, "-jar", "DynamoDBLocal.jar"},
      {"-jar", kLibraryPath, "-Xmx1g", "./DynamoDBLocal.jar"},
      {"-cp", "DynamoDBLocal.jar:lib/*", kMainClass},
      {kMainClass},
      {"com/amazonaws/services/dynamodbv2/local/main/ServerRunner"},
      {"-cp", "x", "-jar", "DynamoDBLocal.jar"},
  };
  for (const NamedValues& form : jar_forms) check_serves(form);
  const NamedValues options[] = {{"-Dx"},
                                 {"-Xms64m"},
                                 {"-XX:+UseSerialGC"},
                                 {"-ea"},
                                 {"-ea:a.b"},
                                 {"-enableassertions"},
                                 {"-enableassertions:a"},
                                 {"-da"},
                                 {"-da:a.b"},
                                 {"-disableassertions:a"},
                                 {"-esa"},
                                 {"-dsa"},
                                 {"-server"},
                                 {"-client"},
                                 {"-javaagent:a.jar"},
                                 {"-agentlib:jdwp=x"},
                                 {"-agentpath:x"},
                                 {"-verbose"},
                                 {"-verbose:gc"},
                                 {"-splash:x"},
                                 {"-showversion"},
                                 {"--add-opens=java.base/java.lang=ALL-UNNAMED"},
                                 {"--add-opens", "java.base/java.lang=ALL-UNNAMED"},
                                 {"--add-exports", "a/b=c"},
                                 {"--add-exports=a/b=c"},
                                 {"--add-modules", "a"},
                                 {"--add-modules=a"},
                                 {"--add-reads=a=b"},
                                 {"--enable-native-access", "ALL-UNNAMED"},
                                 {"--enable-native-access=ALL-UNNAMED"},
                                 {"--module-path", "mods"},
                                 {"--module-path=mods"},
                                 {"-p", "mods"},
                                 {"--enable-preview"},
                                 {"--illegal-access=permit"},
                                 {"-classpath", "x"},
                                 {"--class-path", "x"},
                                 {"--class-path=x"}};
  for (const NamedValues& option : options) {
    NamedValues arguments = option;
    for (const char* word : {"-Xmx1g", "-jar", "DynamoDBLocal.jar"}) arguments.push_back(word);
    check_serves(arguments);
    check_serves(arguments, "stator");
  }
}

TEST_CASE("java: what it cannot run ends as Java ends", "[server]") {
  const std::string no_machine =
      "\nError: Could not create the Java Virtual Machine.\n"
      "Error: A fatal exception has occurred. Program will exit.\nHint: ";
  const std::string jar = "Error: Unable to access jarfile ";
  const std::string no_class = "Error: Could not find or load main class ";
  const std::string cause = "\nCaused by: java.lang.ClassNotFoundException: ";
  const struct {
    NamedValues arguments;
    std::string start;
  } cases[] = {
      {{}, "Usage: java "},
      {{"-Xmx1g"}, "Usage: java "},
      {{"-cp", "x"}, "Usage: java "},
      {{"-jar", "-Dx"}, "Usage: java "},
      {{"-jar"}, "Error: -jar requires jar file specification\nUsage: java "},
      {{"-jar", "other.jar"}, jar + "other.jar"},
      {{"-jar", "/x/other.jar", "-sharedDb"}, jar + "/x/other.jar"},
      {{"-jar", "DynamoDBLocal.jar/x"}, jar + "DynamoDBLocal.jar/x"},
      {{"-jar", "NoDynamoDBLocal.jar"}, jar + "NoDynamoDBLocal.jar"},
      {{"-jar", ""}, jar},
      {{"-bogus", "-jar", "other.jar"}, jar + "other.jar"},
      {{"-bogus", "-jar", "DynamoDBLocal.jar"}, "Unrecognized option: -bogus" + no_machine},
      {{"-sharedDb", "-inMemory"}, "Unrecognized option: -sharedDb" + no_machine},
      {{"-port", "8000", "-x"}, "Unrecognized option: -port" + no_machine},
      {{"-"}, "Unrecognized option: -" + no_machine},
      {{"--"}, "Unrecognized option: --" + no_machine},
      {{"-eafoo", "-version"}, "Unrecognized option: -eafoo" + no_machine},
      {{"-bogus", "no.Such"}, "Unrecognized option: -bogus" + no_machine},
      {{"-Xmx1g", "--port", "1"}, "Unrecognized option: --port" + no_machine},
      {{"-javaagent", "-version"}, "Unrecognized option: -javaagent" + no_machine},
      {{"no.Such"}, no_class + "no.Such" + cause + "no.Such"},
      {{"-cp", "x", "no/Such", "-inMemory"}, no_class + "no.Such" + cause + "no.Such"},
      {{"DynamoDBLocal.jar"}, no_class + "DynamoDBLocal.jar" + cause + "DynamoDBLocal.jar"},
      {{"-cp"}, "Error: -cp requires class path specification"},
      {{"-cp", "-version"}, "Error: -cp requires class path specification"},
      {{"--class-path"}, "Error: --class-path requires class path specification"},
      {{"-p"}, "Error: -p requires module path specification"},
      {{"--module-path"}, "Error: --module-path requires module path specification"},
      {{"--add-opens"}, "Error: --add-opens requires modules to be specified"},
  };
  for (const auto& [arguments, start] : cases) {
    INFO(start);
    const OptionsExit exit = ending(arguments);
    CHECK(exit.status == 1);
    CHECK(exit.is_for_stderr);
    CHECK(exit.text.substr(0, start.size()) == start);
    CHECK(exit.text.back() != '\n');
  }
  CHECK(ending({"-jar", "other.jar"}).text == jar + "other.jar");
  CHECK(ending({"-jar", "other.jar"}, "stator").text == jar + "other.jar");
  CHECK(ending({"-Dx", "no.Such"}, "stator").text == no_class + "no.Such" + cause + "no.Such");
}

TEST_CASE("java: its version and help say that it is Stator", "[server]") {
  const struct {
    NamedValues arguments;
    bool is_for_stderr;
    std::string part;
  } cases[] = {
      {{"-version"}, true, version_text() + ", in the place of Java"},
      {{"--version"}, false, version_text() + ", in the place of Java"},
      {{"-fullversion"}, true, version_text() + ", in the place of Java"},
      {{"--full-version"}, false, version_text() + ", in the place of Java"},
      {{"-Xmx1g", "-version", "-bogus"}, true, version_text() + ", in the place of Java"},
      {{"-help"}, true, "Stator in the place of Java"},
      {{"-h"}, true, "Stator in the place of Java"},
      {{"-?"}, true, "Stator in the place of Java"},
      {{"--help"}, false, "Stator in the place of Java"},
      // Behind the jar file they are DynamoDB Local's.
      {{"-jar", "DynamoDBLocal.jar", "-version"}, false, "3.3.1\n"},
      {{"-jar", "DynamoDBLocal.jar", "-help"}, false, "-optimizeDbBeforeStartup"},
  };
  for (const auto& [arguments, is_for_stderr, part] : cases) {
    INFO(arguments.front());
    const OptionsExit exit = ending(arguments);
    CHECK(exit.status == 0);
    CHECK(exit.is_for_stderr == is_for_stderr);
    CHECK(exit.text.find(part) != std::string::npos);
    CHECK(exit.text.back() == '\n');
  }
}

TEST_CASE("java: Stator's own command line", "[server]") {
  for (const NamedValues& arguments :
       {NamedValues{"--port", "9"}, {"serve", "--port", "9"}, {"--port=9"}}) {
    const Options options = good(arguments);
    CHECK(options.port == 9);
    CHECK(options.host == "*");
    CHECK(options.root_answer == RootAnswer::MissingToken);
    CHECK_FALSE(options.settings.storage.folder.has_value());
    CHECK(options.settings.isolation == Isolation::Region);
    CHECK(options.banner.empty());
  }
  const Options plain = good({"serve"});
  CHECK(plain.port == 8000);
  CHECK(plain.host == "*");
  const Options told = good({"--db-path", "/data", "--host", "::1", "--http-root", "aws"});
  CHECK(told.settings.storage.folder == "/data");
  CHECK(told.host == "::1");
  CHECK(told.root_answer == RootAnswer::Healthy);
  CHECK(good({"serve"}, "stator").host == "localhost");
  CHECK(good({"serve"}, "stator").root_answer == RootAnswer::Healthy);

  CHECK(ending({"--bogus"}).status == 2);
  CHECK(ending({"serve", "--bogus"}).status == 2);
  CHECK(ending({"--port", "1", "-sharedDb"}).status == 2);
  CHECK(ending({"-jar", "DynamoDBLocal.jar", "--port", "1"}).status == 2);
  CHECK(ending({"serve", "--help"}).text.find("--db-path") != std::string::npos);
  for (const NamedValues& arguments :
       {NamedValues{"java", "health"}, {"/bin/java", "health", "--port", "9"}}) {
    const auto parsed = parse_command(static_cast<int>(arguments.size()), arguments.data());
    REQUIRE(parsed.has_value());
    CHECK(std::holds_alternative<HealthOptions>(*parsed));
  }
  const NamedValues clock = {"java", "clock", "advance", "1h"};
  CHECK(std::holds_alternative<ClockOptions>(*parse_command(4, clock.data())));
  const NamedValues reset = {"java", "reset"};
  CHECK(std::holds_alternative<ResetOptions>(*parse_command(2, reset.data())));
  const NamedValues version = {"java", "version"};
  CHECK(parse_command(2, version.data()).error().text == version_text() + "\n");
}

TEST_CASE("java: a variable wins over what no flag says, a flag over the variable", "[server]") {
  const NamedValues jar = {"-jar", "DynamoDBLocal.jar"};
  const auto with = [&jar](NamedValues flags) {
    flags.insert(flags.begin(), jar.begin(), jar.end());
    return good(std::move(flags));
  };
  {
    const Options plain = good(jar);
    CHECK(plain.settings.storage.folder == ".");
    CHECK(plain.settings.isolation == Isolation::Key);
    CHECK(plain.settings.has_local_texts);
    CHECK(plain.host == "*");
    CHECK(plain.banner.find("InMemory:\tfalse\n") != std::string::npos);
    CHECK(plain.banner.find("DbPath:\tnull\n") != std::string::npos);
    CHECK(plain.banner.find("SharedDb:\tfalse\n") != std::string::npos);
  }
  const Variable host{"STATOR_HOST", "::1"};
  const Variable root{"STATOR_HTTP_ROOT", "aws"};
  const Variable isolate{"STATOR_ISOLATE", "region"};
  const Variable path{"STATOR_DB_PATH", "/from/environment"};
  const Variable port{"STATOR_PORT", "1234"};
  for (const Options& options : {good(jar), good(jar, "stator")}) {
    CHECK(options.host == "::1");
    CHECK(options.root_answer == RootAnswer::Healthy);
    CHECK(options.settings.isolation == Isolation::Region);
    CHECK(options.settings.storage.folder == "/from/environment");
    CHECK(options.port == 1234);
    CHECK(options.banner.find("Port:\t1234\nInMemory:\tfalse\n") != std::string::npos);
    CHECK(options.banner.find("DbPath:\t/from/environment\n") != std::string::npos);
  }
  CHECK(with({"-sharedDb"}).settings.isolation == Isolation::None);
  CHECK_FALSE(with({"-inMemory"}).settings.storage.folder.has_value());
  CHECK(with({"-inMemory"}).banner.find("DbPath:\tnull\n") != std::string::npos);
  CHECK(with({"-dbPath", "/flag"}).settings.storage.folder == "/flag");
  CHECK(with({"-port", "5"}).port == 5);
  const Options own = good({"serve"});
  CHECK(own.host == "::1");
  CHECK(own.root_answer == RootAnswer::Healthy);
  CHECK(own.settings.storage.folder == "/from/environment");
  CHECK(good({"--host", "localhost"}).host == "localhost");
}

TEST_CASE("java: stator takes Java's part whole, in part or not at all", "[server]") {
  check_serves({"-jar", "DynamoDBLocal.jar"}, "stator");
  check_serves({kLibraryPath, "-Xmx1g"}, "stator");
  check_serves({"-cp", "x"}, "stator");
  check_serves({"-cp", "x", kMainClass}, "stator");
  CHECK(good({"-inMemory"}, "stator").banner.find("InMemory:\ttrue") != std::string::npos);
  CHECK(ending({"-version"}, "stator").text == "3.3.1\n");
  CHECK(ending({kLibraryPath, "-version"}, "stator").text == "3.3.1\n");
  // As there: what Java takes must stand before the jar file.
  CHECK(ending({"-jar", "DynamoDBLocal.jar", "-Dx=y"}, "stator").text ==
        "Error while parsing options. Unrecognized option: -Dx=y");
  CHECK(ending({"-inMemory", "-jar", "DynamoDBLocal.jar"}, "stator").status == 2);
}

}  // namespace
}  // namespace stator

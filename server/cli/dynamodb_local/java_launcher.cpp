// See java_launcher.h.

#include "server/cli/dynamodb_local/java_launcher.h"

#include <algorithm>
#include <array>
#include <string>

#include "server/cli/client/client_options.h"
#include "server/cli/template_commands/template_options.h"
#include "server/options/version.h"

namespace stator {

namespace {

using Arguments = std::span<const std::string_view>;

constexpr std::string_view kJarFile = "DynamoDBLocal.jar";
constexpr std::string_view kMainClass = "com.amazonaws.services.dynamodbv2.local.main.ServerRunner";

constexpr std::array<std::string_view, 12> kCommands = {"serve",  "health",   "clock",   "mark",
                                                        "reset",  "capacity", "explain", "fault",
                                                        "import", "export",   "copy",    "version"};

// Options that are one whole word, and prefixes of those whose value is in the same word.
constexpr std::array<std::string_view, 13> kWords = {"-ea",
                                                     "-enableassertions",
                                                     "-da",
                                                     "-disableassertions",
                                                     "-esa",
                                                     "-enablesystemassertions",
                                                     "-dsa",
                                                     "-disablesystemassertions",
                                                     "-server",
                                                     "-client",
                                                     "-showversion",
                                                     "--show-version",
                                                     "--enable-preview"};
constexpr std::array<std::string_view, 12> kBeginnings = {"-D",
                                                          "-X",
                                                          "-verbose",
                                                          "-ea:",
                                                          "-enableassertions:",
                                                          "-da:",
                                                          "-agentlib:",
                                                          "-splash:",
                                                          "-javaagent:",
                                                          "-agentpath:",
                                                          "-disableassertions:",
                                                          "--illegal-access="};

// An option whose value is the next word, or with two dashes also follows a '='.
struct ValueOption {
  std::string_view name;
  std::string_view complaint;  // when there is no value
};
constexpr std::string_view kNoClassPath = "class path specification";
constexpr std::string_view kNoModulePath = "module path specification";
constexpr std::string_view kNoModules = "modules to be specified";
constexpr std::array<ValueOption, 13> kValueOptions = {{{"-cp", kNoClassPath},
                                                        {"-classpath", kNoClassPath},
                                                        {"--class-path", kNoClassPath},
                                                        {"-p", kNoModulePath},
                                                        {"--module-path", kNoModulePath},
                                                        {"--upgrade-module-path", kNoModulePath},
                                                        {"--add-exports", kNoModules},
                                                        {"--add-modules", kNoModules},
                                                        {"--add-opens", kNoModules},
                                                        {"--add-reads", kNoModules},
                                                        {"--enable-native-access", kNoModules},
                                                        {"--limit-modules", kNoModules},
                                                        {"--patch-module", kNoModules}}};

constexpr std::string_view kUsage =
    R"(Usage: java [Java's options] -jar DynamoDBLocal.jar [DynamoDB Local's flags]
   or  java [Java's options] -cp PATH MAINCLASS [DynamoDB Local's flags]
   or  java serve [Stator's flags]
   or  java health [FLAGS], java clock [MOVE], java mark [VERB], java reset [FLAGS], java capacity [TABLE],
        java explain [ID], java import TABLE FILE, java export TABLE FILE, java copy [FLAGS],
        java version
This is Stator in the place of Java. It runs DynamoDB Local's command line and
nothing else; Java's options are passed over. More, each with its flags:
  java -jar DynamoDBLocal.jar -help
  java serve --help)";

constexpr std::string_view kHint =
    "Hint: this java is Stator. DynamoDB Local's flags follow the jar file, as in java -jar "
    "DynamoDBLocal.jar -sharedDb; Stator's own come first, as in java --port 8000";

OptionsExit java_error(std::string text) { return {1, std::move(text)}; }

template <class Range>
bool contains(const Range& range, std::string_view text) {
  return std::find(range.begin(), range.end(), text) != range.end();
}

const ValueOption* find_value_option(std::string_view argument) {
  for (const ValueOption& option : kValueOptions) {
    if (argument == option.name) return &option;
  }
  return nullptr;
}

// Whether `argument` is a complete option of Java, without a value in the next word.
bool is_whole_option(std::string_view argument) {
  if (contains(kWords, argument)) return true;
  if (std::any_of(kBeginnings.begin(), kBeginnings.end(),
                  [argument](std::string_view start) { return argument.starts_with(start); })) {
    return true;
  }
  const std::size_t equals = argument.find('=');
  return argument.starts_with("--") && equals != std::string_view::npos &&
         find_value_option(argument.substr(0, equals)) != nullptr;
}

// What Java prints for an option that ends it at once; an empty text for any other option.
OptionsExit answer_to(std::string_view argument) {
  const bool is_long = argument.starts_with("--");
  if (argument == "-help" || argument == "-h" || argument == "-?" || argument == "--help") {
    return {0, std::string{kUsage} + "\n", !is_long};
  }
  if (argument == "-version" || argument == "--version" || argument == "-fullversion" ||
      argument == "--full-version") {
    return {0, version_text() + ", in the place of Java: runs DynamoDB Local's command line only\n",
            !is_long};
  }
  return {0, "", false};
}

std::string class_name(std::string_view argument) {
  std::string name{argument};
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

// Reads Java's part in Java's order: it reports a missing jar file before an unknown option, and
// that before a missing class.
class Reader {
 public:
  explicit Reader(Arguments arguments) : rest_{arguments} {}

  tl::expected<Arguments, OptionsExit> read() {
    while (!rest_.empty() && rest_.front().starts_with('-')) {
      OptionsExit answer = answer_to(rest_.front());
      if (!answer.text.empty()) return tl::unexpected(unknown_.empty() ? answer : unrecognized());
      if (auto exit = pass_option(); !exit) return tl::unexpected(std::move(exit).error());
    }
    if (is_jar_ && !rest_.empty() && !is_the_jar(rest_.front())) {
      return tl::unexpected(
          java_error(std::string{"Error: Unable to access jarfile "}.append(rest_.front())));
    }
    if (!unknown_.empty()) return tl::unexpected(unrecognized());
    if (rest_.empty()) return tl::unexpected(java_error(std::string{kUsage}));
    if (!is_jar_ && class_name(rest_.front()) != kMainClass) {
      return tl::unexpected(no_class(class_name(rest_.front())));
    }
    return rest_.subspan(1);
  }

 private:
  static bool is_the_jar(std::string_view path) {
    return path.substr(path.rfind('/') + 1) == kJarFile;  // the whole path if it has no '/'
  }

  tl::expected<void, OptionsExit> pass_option() {
    const std::string_view argument = rest_.front();
    rest_ = rest_.subspan(1);
    if (argument == "-jar") {
      is_jar_ = true;
      if (!rest_.empty()) return {};
      return tl::unexpected(
          java_error("Error: -jar requires jar file specification\n" + std::string{kUsage}));
    }
    if (const ValueOption* const option = find_value_option(argument)) {
      if (rest_.empty() || rest_.front().starts_with('-')) {
        return tl::unexpected(java_error(std::string{"Error: "}
                                             .append(argument)
                                             .append(" requires ")
                                             .append(option->complaint)));
      }
      rest_ = rest_.subspan(1);
    } else if (!is_whole_option(argument) && unknown_.empty()) {
      unknown_ = argument;
    }
    return {};
  }

  OptionsExit unrecognized() const {
    return java_error(std::string{"Unrecognized option: "}
                          .append(unknown_)
                          .append("\nError: Could not create the Java Virtual Machine.\n"
                                  "Error: A fatal exception has occurred. Program will exit.\n")
                          .append(kHint));
  }

  static OptionsExit no_class(const std::string& name) {
    return java_error("Error: Could not find or load main class " + name +
                      "\nCaused by: java.lang.ClassNotFoundException: " + name);
  }

  Arguments rest_;
  bool is_jar_ = false;
  std::string_view unknown_;
};

}  // namespace

bool is_java_name(std::string_view program) {
  return program.substr(program.rfind('/') + 1) == "java";
}

bool begins_own_command_line(Arguments arguments) {
  if (arguments.empty()) return false;
  const std::string_view first = arguments.front();
  if (contains(kCommands, first) || client::is_command(first) ||
      templates::is_template_command(first))
    return true;
  return first.starts_with("--") && first.size() > 2 && !is_whole_option(first) &&
         find_value_option(first) == nullptr && answer_to(first).text.empty();
}

tl::expected<Arguments, OptionsExit> behind_java(Arguments arguments) {
  return Reader{arguments}.read();
}

tl::expected<Arguments, OptionsExit> behind_optional_java(Arguments arguments) {
  Arguments rest = arguments;
  while (!rest.empty()) {
    const bool has_value = find_value_option(rest.front()) != nullptr;
    if (!has_value && !is_whole_option(rest.front())) break;
    rest = rest.subspan(has_value && rest.size() > 1 ? 2 : 1);
  }
  const bool has_class =
      !rest.empty() && rest.size() < arguments.size() && !rest.front().starts_with('-');
  if (has_class || (!rest.empty() && rest.front() == "-jar")) return behind_java(arguments);
  return rest;
}

}  // namespace stator

#include "server/cli/fault_command/fault_options.h"

#include <optional>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "engine/api/control.h"
#include "protocol/json/json_reader.h"
#include "protocol/json/json_writer.h"
#include "protocol/memory/arena.h"
#include "server/cli/fault_command/fault_command.h"
#include "server/cli/fault_command/fault_help.h"
#include "server/options/argument_errors.h"
#include "server/options/option_values.h"
#include "server/options/server_flags.h"

namespace stator {

namespace {

using Verb = FaultOptions::Verb;

// Above the time that a server gives an admin verb at its default --request-timeout.
constexpr std::chrono::seconds kFaultTimeout{60};
constexpr std::size_t kOperationsMax = 100;

struct VerbWord {
  std::string_view text;
  Verb verb;
  std::size_t words_min;  // after it
  std::size_t words_max;
};
constexpr VerbWord kVerbs[] = {
    {"list", Verb::List, 0, 0},     {"add", Verb::Add, 0, kOperationsMax},
    {"remove", Verb::Remove, 1, 1}, {"clear", Verb::Clear, 0, 0},
    {"preset", Verb::Preset, 1, 2}, {"wait", Verb::Wait, 1, 1},
};

// Flags of a rule: the members that they set, as texts of JSON.
struct RuleFlags {
  std::string name;
  std::vector<std::pair<std::string, std::string>> match;   // member, text
  std::vector<std::pair<std::string, std::string>> when;    // member, number
  std::vector<std::pair<std::string, std::string>> effect;  // member, text
  std::string whole_effect;

  bool is_empty() const {
    return name.empty() && match.empty() && when.empty() && effect.empty() && whole_effect.empty();
  }
};

void add_rule_flags(CLI::App& app, RuleFlags& flags) {
  app.add_option("--name", flags.name);
  // Adds a flag whose value becomes a member.
  const auto add = [&app](const std::string& flag, const std::string& member, auto& members) {
    return app.add_option_function<std::string>(
        flag, [&members, member](const std::string& text) { members.emplace_back(member, text); });
  };
  add("--table", "table", flags.match);
  add("--index", "index", flags.match);
  add("--access-key", "access_key", flags.match);
  for (const char* const count : {"nth", "every", "attempt", "times"})
    add(std::string("--") + count, count, flags.when)
        ->check(number_between(std::uint64_t{1}, std::uint64_t{1'000'000'000'000}));
  add("--probability", "probability", flags.when)->check(number_between(0.0, 1.0));
  for (const char* const effect : {"error", "drop", "delay", "corrupt"})
    add(std::string("--") + effect, effect, flags.effect);
  app.add_option("--effect", flags.whole_effect)->check([](const std::string& text) {
    std::string copy = text;
    Arena arena;
    const auto json = read_json(copy, arena);
    const bool is_object = json && json->kind() == JsonNode::Kind::Object;
    return is_object ? std::string() : "'" + text + "' is not an object in JSON";
  });
}

void write_texts(JsonWriter& json,
                 const std::vector<std::pair<std::string, std::string>>& members) {
  for (const auto& [member, text] : members) json.member(member, text);
}

// Writes a rule for the operations. Throws CLI::ValidationError.
std::string rule_text(const RuleFlags& flags, std::span<const std::string> operations) {
  if (flags.effect.empty() == flags.whole_effect.empty()) {
    throw CLI::ValidationError("add", flags.effect.empty()
                                          ? "an effect is missing, such as --error or -f FILE"
                                          : "--effect stands alone");
  }
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  if (!flags.name.empty()) json.member("name", flags.name);
  json.key("match");
  json.begin_object();
  if (!operations.empty()) {
    json.key("operation");
    json.begin_array();
    for (const std::string& operation : operations) json.string(operation);
    json.end_array();
  }
  write_texts(json, flags.match);
  json.end_object();
  json.key("when");
  json.begin_object();
  for (const auto& [member, number] : flags.when) {
    json.key(member);
    json.raw(number.starts_with('.') ? "0" + number : number);
  }
  json.end_object();
  json.key("effect");
  if (flags.whole_effect.empty()) {
    json.begin_object();
    write_texts(json, flags.effect);
    json.end_object();
  } else {
    json.raw(flags.whole_effect);
  }
  json.end_object();
  return text;
}

const VerbWord& find_verb(const std::string& text) {
  for (const VerbWord& word : kVerbs)
    if (word.text == text) return word;
  throw CLI::ValidationError("'" + text + "' is not list, add, remove, clear, preset or wait");
}

void check_name(const std::string& name) {
  if (!is_mark_name(name)) throw CLI::ValidationError("'" + name + "' is not a name for a rule");
}

// Interprets the words. Throws CLI::ValidationError.
void read_words(const std::vector<std::string>& words, const RuleFlags& flags,
                FaultOptions& options) {
  const VerbWord& verb = find_verb(words.empty() ? "list" : words.front());
  const std::size_t count = words.empty() ? 0 : words.size() - 1;
  if (count < verb.words_min)
    throw CLI::ValidationError(std::string(verb.text), "a name is missing");
  if (count > verb.words_max) throw CLI::ValidationError("'" + words.back() + "' is too much");
  options.verb = verb.verb;
  const bool is_add = options.verb == Verb::Add;
  if (!is_add && (!flags.is_empty() || !options.file.empty()))
    throw CLI::ValidationError(std::string(verb.text), "flags of a rule go with add");
  if (is_add && options.file.empty())
    options.rule = rule_text(flags, std::span(words).subspan(words.empty() ? 0 : 1));
  if (is_add && !options.file.empty() && (!flags.is_empty() || count > 0))
    throw CLI::ValidationError("-f", "the file has the whole rule");
  if (!is_add && count > 0) options.name = words[1];
  if (count > 1) options.argument = words[2];
  if (options.verb == Verb::Remove || options.verb == Verb::Wait) check_name(options.name);
}

}  // namespace

tl::expected<FaultOptions, OptionsExit> read_fault_options(
    std::span<const std::string_view> arguments) {
  FaultOptions options;
  options.server.timeout = kFaultTimeout;
  bool wants_help = false;
  std::vector<std::string> words;
  RuleFlags flags;
  CLI::App app;
  app.set_help_flag();
  app.add_flag("-h,--help", wants_help);
  app.add_option("VERB", words);
  app.add_option("-f,--file", options.file);
  app.add_flag("--json", options.is_json);
  CLI::Option* const fired = app.add_option("--fired", options.fired);
  fired->check(number_between(std::uint64_t{1}, std::uint64_t{1'000'000'000'000}));
  add_rule_flags(app, flags);
  ServerFlags server{app, options.server};
  parse_plainly(app, {arguments.begin(), arguments.end()});
  if (wants_help) return tl::unexpected(OptionsExit{0, std::string{kFaultHelp}});
  read_words(words, flags, options);
  if (fired->count() > 0 && options.verb != Verb::Wait)
    throw CLI::ValidationError("--fired", "goes with wait");
  if (options.is_json && options.verb != Verb::List)
    throw CLI::ValidationError("--json", "goes with list");
  server.finish();
  return options;
}

tl::expected<Command, OptionsExit> read_fault_command(std::span<const std::string_view> arguments) {
  auto options = read_fault_options(arguments);
  if (!options) return tl::unexpected(std::move(options).error());
  return DataCommand{
      [options = *std::move(options)](const FindServer& find) { return run_fault(options, find); }};
}

}  // namespace stator

#include "server/cli/template_commands/template_options.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "server/cli/template_commands/apply_command.h"
#include "server/cli/template_commands/schema_command.h"
#include "server/cli/template_commands/template_help.h"
#include "server/data/data_flags.h"
#include "server/options/argument_errors.h"

namespace stator::templates {

namespace {

using Arguments = std::span<const std::string_view>;
using Read = tl::expected<Command, OptionsExit>;
using Names = ReadOptions::Names;

constexpr std::string_view kEndpointWord = "endpoint:";
constexpr std::size_t kAccountDigits = 12;

constexpr Word<bool> kOutputWords[] = {{"text", false}, {"json", true}};
constexpr Word<Names> kNameWords[] = {{"logical", Names::Logical}, {"stack", Names::Stack}};

template <class T, std::size_t N>
void add_word(CLI::App& app, const std::string& name, const Word<T> (&words)[N], T& target) {
  take_word(*app.add_option_function<std::string>(name, [](const std::string&) {}), words, target);
}

// Throws CLI::ValidationError.
std::vector<NamedText> pairs(const std::vector<std::string>& texts, const char* flag) {
  std::vector<NamedText> named;
  for (const std::string& text : texts) {
    const std::size_t sign = text.find('=');
    if (sign == 0 || sign == std::string::npos)
      throw CLI::ValidationError(flag, std::string("'").append(text).append("' is not NAME=VALUE"));
    named.emplace_back(text.substr(0, sign), text.substr(sign + 1));
  }
  return named;
}

// The flags that say how files are read.
class FileFlags {
 public:
  explicit FileFlags(CLI::App& app) {
    app.add_option("--param", parameters_)->allow_extra_args(false);
    app.add_option("--params", files_.parameters_file);
    app.add_option("--stack-name", files_.options.stack_name);
    app.add_option("--account-id", files_.options.account_id)->check(check_account);
    app.add_option("--import-value", imports_)->allow_extra_args(false);
    app.add_option("--var", variables_)->allow_extra_args(false);
    app.add_option("--name", names_)->allow_extra_args(false);
    add_word(app, "--names", kNameWords, files_.options.names);
  }

  // Throws CLI::ValidationError.
  TemplateFiles files() const {
    TemplateFiles files = files_;
    files.options.parameters = pairs(parameters_, "--param");
    files.options.imports = pairs(imports_, "--import-value");
    files.options.variables = pairs(variables_, "--var");
    files.options.table_names = pairs(names_, "--name");
    return files;
  }

 private:
  // CLI11 shows the returned text.
  static std::string check_account(const std::string& text) {
    const bool is_number =
        std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    const bool is_account = is_number && text.size() == kAccountDigits;
    return is_account ? std::string() : std::string("'").append(text).append("' is not 12 digits");
  }

  TemplateFiles files_;
  std::vector<std::string> parameters_;
  std::vector<std::string> imports_;
  std::vector<std::string> variables_;
  std::vector<std::string> names_;
};

Read help_text(std::initializer_list<std::string_view> parts) {
  std::string help;
  for (const std::string_view part : parts) help += part;
  help += kTemplateServerHelp;
  return tl::unexpected(OptionsExit{0, std::move(help)});
}

Read read_apply(Arguments arguments) {
  CLI::App app;
  data::DataFlags data{app};
  FileFlags file_flags{app};
  ApplyOptions options;
  std::vector<std::string> paths;
  std::vector<std::string> tags;
  bool is_plan = false;
  bool is_check = false;
  bool prunes = false;
  app.add_option("FILE", paths);
  app.add_flag("--plan", is_plan);
  app.add_flag("--check", is_check);
  app.add_flag("--allow-replace", options.permissions.allows_replacement);
  app.add_flag("--prune", prunes);
  app.add_option("--tag", tags)->allow_extra_args(false);
  app.add_flag("--yes", options.permissions.is_confirmed);
  app.add_flag("--print-env", options.prints_environment);
  add_word(app, "--output", kOutputWords, options.is_json);
  if (!data.parse(arguments))
    return help_text({kApplyHelp, kTemplateHelp, kEnvironmentHelp, kTemplateOutputHelp});
  if (paths.empty()) throw CLI::ValidationError("FILE", "is missing");
  if (options.prints_environment && options.is_json)
    throw CLI::ValidationError("--print-env", "not together with --output json");
  if (prunes == tags.empty())
    throw CLI::ValidationError(prunes ? "--prune" : "--tag",
                               prunes ? "needs --tag NAME=VALUE" : "goes with --prune");
  for (auto& [name, value] : pairs(tags, "--tag"))
    options.prune_tags[std::move(name)] = std::move(value);
  options.files = file_flags.files();
  options.files.paths = std::move(paths);
  if (is_plan) options.permissions.mode = Permissions::Mode::Plan;
  if (is_check) options.permissions.mode = Permissions::Mode::Check;
  return DataCommand{
      [options, endpoint = data.endpoint({})](const FindServer& find_server) mutable {
        options.endpoint = endpoint(find_server);
        options.endpoint.asks_why = true;
        return run_apply(options);
      }};
}

// Throws CLI::ValidationError.
SideOptions read_side_word(const std::string& word, const data::DataFlags& data) {
  SideOptions side;
  if (!word.starts_with(kEndpointWord) && word.find("://") != std::string::npos)
    throw CLI::ValidationError("'" + word +
                               "' is no file; an address is endpoint:" + "http://HOST:PORT");
  side.is_file = !word.starts_with(kEndpointWord);
  if (side.is_file) {
    side.path = word;
  } else {
    side.endpoint = data.endpoint_at(word.substr(kEndpointWord.size()), word);
  }
  return side;
}

Read read_schema_words(Arguments arguments) {
  CLI::App app;
  data::DataFlags data{app};
  FileFlags file_flags{app};
  SchemaOptions options;
  std::vector<std::string> words;
  bool is_json = false;
  app.add_option("TABLE", words);
  add_word(app, "--as", kFormWords, options.form);
  add_word(app, "--output", kOutputWords, is_json);
  if (!data.parse(arguments)) return help_text({kSchemaHelp, kTemplateHelp, kTemplateOutputHelp});
  const bool has_form = app.get_option("--as")->count() > 0;
  if (!words.empty() && words.front() == "diff") {
    constexpr std::size_t kDiffWords = 3;
    if (words.size() != kDiffWords) throw CLI::ValidationError("diff", "needs two sides");
    if (has_form) throw CLI::ValidationError("--as", "does not go with diff");
    DiffOptions diff;
    diff.first = read_side_word(words[1], data);
    diff.second = read_side_word(words[2], data);
    diff.files = file_flags.files();
    diff.is_json = is_json;
    return DataCommand{[diff](const FindServer&) { return run_schema_diff(diff); }};
  }
  if (!has_form) throw CLI::ValidationError("--as", "is missing");
  if (is_json) throw CLI::ValidationError("--output", "goes with diff");
  options.tables = std::move(words);
  return DataCommand{
      [options, endpoint = data.endpoint({})](const FindServer& find_server) mutable {
        options.endpoint = endpoint(find_server);
        options.endpoint.asks_why = true;
        return run_schema(options);
      }};
}

}  // namespace

bool is_template_command(std::string_view word) { return word == "apply" || word == "schema"; }

Read read_template_options(std::string_view command, Arguments arguments) {
  return command == "apply" ? read_apply(arguments) : read_schema_words(arguments);
}

}  // namespace stator::templates

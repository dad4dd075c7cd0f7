#include "server/options/argument_errors.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>

#include "server/options/variables.h"

namespace stator {

namespace {

constexpr std::string_view kVariablePrefix = "STATOR_";

// Variables of this project's tests and tools, and of the helpers for other projects' tests.
constexpr std::string_view kVariablesBesides[] = {
    "STATOR_ALL",         "STATOR_BINARY",         "STATOR_CCACHE",   "STATOR_DATA_SEED",
    "STATOR_DRAW",        "STATOR_DYNAMODB_LOCAL", "STATOR_ENDPOINT", "STATOR_GO_MODULE",
    "STATOR_IMAGE",       "STATOR_IMAGE_BUILDER",  "STATOR_LONG",     "STATOR_MAVEN_GROUP",
    "STATOR_MODEL_STEPS", "STATOR_OWN_SERVER",     "STATOR_PYTHON",   "STATOR_RELEASE_ARM64",
    "STATOR_RELEASE_URL", "STATOR_SANITIZED",      "STATOR_SDK",      "STATOR_SDK_YEAR",
    "STATOR_SERVER",      "STATOR_TLS_ENDPOINT",   "STATOR_WORDING"};

// Counts letters to add, to remove, to replace, or to swap with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      std::size_t& cell = rows[i][j];
      if (i == 0 || j == 0) {
        cell = i + j;
        continue;
      }
      const std::size_t replaced = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cell = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cell = std::min(cell, rows[i - 2][j - 2] + 1);
    }
  }
  return rows[a.size()][b.size()];
}

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

std::string too_much(const CLI::App& app) {
  const std::vector<std::string> rest = app.remaining();
  const auto flag = std::find_if(rest.begin(), rest.end(), [](const std::string& word) {
    return word.size() > 1 && word.front() == '-';
  });
  if (flag == rest.end()) return "'" + rest.front() + "' is too much";
  const std::string name = flag->substr(0, flag->find('='));
  return "no such flag: " + name + did_you_mean(name, flags_of(app));
}

// Replaces CLI11's "Could not convert: --gsi-delay = x".
std::string not_converted(const CLI::App& app, const std::string& text) {
  const std::size_t name_begin = text.find("--");
  const std::size_t name_end = text.find(" = ", name_begin);
  if (name_begin == std::string::npos || name_end == std::string::npos) return text;
  const std::string name = text.substr(name_begin, name_end - name_begin);
  const CLI::Option* const option = app.get_option_no_throw(name);
  const bool is_switch = option != nullptr && option->get_expected_max() == 0;
  return name + ": '" + text.substr(name_end + 3) +
         (is_switch ? "' is not true or false" : "' is not a number");
}

// Names the variable if the value came from one.
std::string by_variable(const CLI::App& app, const std::vector<std::string>& arguments,
                        std::string text) {
  const std::string name = text.substr(0, text.find(':'));
  const CLI::Option* const option = app.get_option_no_throw(name);
  if (option == nullptr || option->get_envname().empty()) return text;
  const bool is_argument =
      std::any_of(arguments.begin(), arguments.end(), [&](const std::string& argument) {
        return argument == name || argument.starts_with(name + "=");
      });
  if (is_argument || !is_variable_set(option->get_envname().c_str())) return text;
  return option->get_envname() + text.substr(name.size());
}

}  // namespace

std::string did_you_mean(std::string_view text, const std::vector<std::string>& known) {
  constexpr std::size_t kLengthMax = 64;
  const std::string* nearest = nullptr;
  std::size_t least = std::max<std::size_t>(2, text.size() / 4) + 1;
  for (const std::string& word : known) {
    if (text.size() > kLengthMax) break;
    const std::size_t d = distance(text, word);
    if (d >= least) continue;
    nearest = &word;
    least = d;
  }
  return nearest != nullptr ? ", did you mean " + *nearest + "?" : std::string();
}

void parse_plainly(CLI::App& app, const std::vector<std::string>& arguments) {
  try {
    app.parse(std::vector<std::string>{arguments.rbegin(), arguments.rend()});
  } catch (const CLI::ExtrasError&) {
    throw CLI::ValidationError(too_much(app));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();
    const std::string name = text.substr(0, text.find(':'));
    if (!name.starts_with("--")) throw CLI::ValidationError(text);
    const bool is_repeated = text.find("At Most") != std::string::npos;
    throw CLI::ValidationError(name +
                               (is_repeated ? " is given more than once" : " needs a value"));
  } catch (const CLI::ConversionError& error) {
    throw CLI::ValidationError(by_variable(app, arguments, not_converted(app, error.what())));
  } catch (const CLI::Error& error) {
    throw CLI::ValidationError(by_variable(app, arguments, error.what()));
  }
}

std::vector<std::string> warnings_of_variables(const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::Option* const option : app.get_options()) {
    if (!option->get_envname().empty()) known.push_back(option->get_envname());
  }
  std::vector<std::string> warnings;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    if (!name.starts_with(kVariablePrefix)) continue;
    const bool is_known = std::find(known.begin(), known.end(), name) != known.end() ||
                          std::find(std::begin(kVariablesBesides), std::end(kVariablesBesides),
                                    name) != std::end(kVariablesBesides);
    if (!is_known)
      warnings.push_back("no such variable: " + std::string(name) + did_you_mean(name, known));
  }
  std::sort(warnings.begin(), warnings.end());
  return warnings;
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  std::string end = "' is not ";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) end += i + 1 == words.size() ? " or " : ", ";
    end += words[i];
  }
  return CLI::Validator(
      [words, end](const std::string& value) {
        const bool is_one = std::find(words.begin(), words.end(), value) != words.end();
        return is_one ? std::string() : "'" + value + end;
      },
      "");
}

}  // namespace stator

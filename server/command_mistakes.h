// What is wrong with a command line or with variables, in words for people instead of CLI11's.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <CLI/CLI.hpp>

namespace stator {

// Which of `known` was probably meant by `text`, as ", did you mean X?"; empty: none is near.
std::string did_you_mean(std::string_view text, const std::vector<std::string>& known);

// Lets `app` read what follows the command. Throws CLI::ValidationError, and nothing else of CLI11.
void parse_plainly(CLI::App& app, const std::vector<std::string>& arguments);

// What to warn about: variables that begin with STATOR_, and that neither `app` nor the tools
// around the server know.
std::vector<std::string> warnings_of_variables(const CLI::App& app);

// "'fast' is not commit or lazy"
CLI::Validator one_of(const std::vector<std::string>& words);

// "'99999' is not a whole number from 0 to 65535"
template <class T>
CLI::Validator number_between(T min, T max) {
  std::ostringstream text;
  text << "' is not a " << (std::is_integral_v<T> ? "whole " : "") << "number from " << min
       << " to " << max;
  const CLI::Range range(min, max);
  return CLI::Validator(
      [range, end = text.str()](const std::string& value) {
        return range(value).empty() ? std::string() : "'" + value + end;
      },
      "");
}

}  // namespace stator

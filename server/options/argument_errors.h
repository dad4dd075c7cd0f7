// Errors in a command line or in variables, in plain words instead of CLI11's.
#pragma once

#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <CLI/CLI.hpp>

#include "server/options/flag_words.h"

namespace stator {

// ", did you mean X?" for the most similar of `known`; empty if none is similar.
std::string did_you_mean(std::string_view text, const std::vector<std::string>& known);

// Lets `app` parse the arguments. Throws CLI::ValidationError and no other error of CLI11.
void parse_plainly(CLI::App& app, const std::vector<std::string>& arguments);

// Warnings for variables that begin with STATOR_ but that neither `app` nor a tool of the project
// knows.
std::vector<std::string> warnings_of_variables(const CLI::App& app);

// "'fast' is not commit or lazy"
CLI::Validator one_of(const std::vector<std::string>& words);

// Lets the option take one of the words, whose value goes to `target`. `words` and `target` outlive
// the parsing.
template <class T, std::size_t N>
void take_word(CLI::Option& option, const Word<T> (&words)[N], T& target) {
  std::vector<std::string> texts;
  for (const auto& word : words) texts.emplace_back(word.text);
  option.check(one_of(texts))->each([&words, &target](const std::string& chosen) {
    for (const auto& word : words) {
      if (word.text == chosen) target = word.value;
    }
  });
}

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

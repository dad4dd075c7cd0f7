// Case files: what goes in and what must come out, as text. A runner for each layer knows what a
// case does (tests/unit/protocol/cases/protocol_cases.h, tests/unit/engine/harness/engine_cases.h);
// this is what the files of all layers have in common.
//
//   -- a comment; blank lines are nothing
//   @name rest              a directive: a setting for the cases behind it
//   == title                cases that belong together; none may be empty
//   input -> expectation    a case
//   input
//     -> expectation        the same, and where there are several expectations
//       continued           lines that are indented belong to what stands before them
//
// Everywhere, << >> stands for text that is tedious to write or cannot be seen:
//
//   <<>>           nothing
//   <<0x09C3A4>>   bytes
//   <<ab*300>>     ab, 300 times; % is the number of the repetition, from 0. Also <<0x00*20>>
//   <<name|x|y>>   the text of `@define name text`, with x and y for its $1 and $2
//
// JSON may be written without the quotes of names and of simple strings, with spaces, and with a
// comma before a closing bracket: {TableName: Things, Key: {pk: {S: a}}}.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stator::test {

struct CaseLine {
  enum class Kind { Title, Directive, Case };

  Kind kind;
  std::size_t number;                     // of its first line, from 1
  std::string text;                       // title, name of the directive, or input
  std::string rest;                       // of a directive
  std::vector<std::string> expectations;  // of a case
};

struct CaseFile {
  std::string name;
  std::vector<CaseLine> lines;
};

// Throws std::runtime_error("name:line: what is wrong") for text that is no case file, has no case,
// or defines what it does not use.
CaseFile read_cases(std::string name, std::string_view text);
// All files *.cases of a folder below tests/cases, by name. Throws when there is none.
std::vector<CaseFile> read_case_folder(std::string_view folder);
// The steps before the first title, and the titles that contain `wanted`. Throws when none does.
CaseFile only_titles(const CaseFile& file, std::string_view wanted);

// Relaxed JSON, as above, as the JSON that is sent and answered: compact, in the same order.
std::string strict_json(std::string_view relaxed);

std::string replace_all(std::string text, std::string_view from, std::string_view to);
std::vector<std::string> split(std::string_view text, std::string_view separator);

// What became of the cases of a file. Each failure says where it is, what was expected and what
// came instead.
struct CaseReport {
  std::size_t count = 0;  // of expectations that were compared
  std::vector<std::string> failures;

  void compare(const CaseFile& file, const CaseLine& line, std::string_view title,
               std::string_view expected, std::string_view actual);
};

// Runs `run` on each file of the folder and fails the Catch2 test it is called from for every
// failure, for files that compare nothing, and for what `run` throws. With the environment variable
// STATOR_CASE=FILE[:TITLE] it runs only that file, or its titles that contain TITLE.
void run_case_folder(std::string_view folder, CaseReport (*run)(const CaseFile& file));

}  // namespace stator::test

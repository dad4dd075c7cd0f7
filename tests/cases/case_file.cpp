#include "tests/cases/case_file.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>

#include <catch2/catch.hpp>

#include "tests/cases/source_folder.h"

namespace stator::test {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string bytes_of(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return out;
}

class Reader {
 public:
  explicit Reader(std::string name) { file_.name = std::move(name); }

  CaseFile read(std::string_view text) {
    for (const std::string& line : split(text, "\n")) {
      ++number_;
      take(line);
    }
    finish_line();
    for (const auto& [name, definition] : definitions_) {
      if (!definition.is_used) fail("<<" + name + ">> is not used");
    }
    check_titles();
    return std::move(file_);
  }

 private:
  struct Definition {
    std::string text;
    bool is_used = false;
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(file_.name + ":" + std::to_string(number_) + ": " + what);
  }

  void take(std::string_view line) {
    if (line.find('\t') != std::string_view::npos) fail("a tab; write <<0x09>>");
    if (trimmed(line).empty() || line == "--" || line.starts_with("-- ")) return finish_line();
    if (line.front() != ' ') {
      finish_line();
      is_open_ = true;
      open_ = {CaseLine::Kind::Case, number_, {}, {}, {}};
      parts_ = {std::string(trimmed(line))};
      return;
    }
    if (!is_open_) fail("indented, but there is nothing to belong to");
    const std::string_view text = trimmed(line);
    if (text == "->" || text.starts_with("-> ")) {
      parts_.emplace_back(trimmed(text.substr(2)));
    } else {
      parts_.back().append(" ").append(text);
    }
  }

  // Puts the line that is complete now where it belongs.
  void finish_line() {
    if (!is_open_) return;
    is_open_ = false;
    std::string& first = parts_.front();
    if (first.starts_with("== ")) {
      open_.kind = CaseLine::Kind::Title;
      open_.text = first.substr(3);
    } else if (first.starts_with("@")) {
      const std::size_t space = std::min(first.find(' '), first.size());
      open_.kind = CaseLine::Kind::Directive;
      open_.text = first.substr(1, space - 1);
      open_.rest = trimmed(std::string_view(first).substr(space));
      if (open_.text == "define") return define(open_.rest);
      open_.rest = expanded(open_.rest);
    } else {
      if (const std::size_t arrow = first.find(" -> "); arrow != std::string::npos) {
        parts_.insert(parts_.begin() + 1, std::string(trimmed(first.substr(arrow + 4))));
        parts_.front() = trimmed(std::string(parts_.front().substr(0, arrow)));
      }
      open_.text = expanded(parts_.front());
      for (std::size_t i = 1; i < parts_.size(); ++i) {
        if (parts_[i].empty()) fail("an empty expectation; write <<>>");
        open_.expectations.push_back(expanded(parts_[i]));
      }
    }
    if (open_.kind != CaseLine::Kind::Case && parts_.size() > 1) fail("no case expects nothing");
    file_.lines.push_back(std::move(open_));
  }

  void define(std::string_view rest) {
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos) fail("@define name text");
    const std::string name(rest.substr(0, space));
    if (definitions_.count(name) != 0) fail("<<" + name + ">> is defined twice");
    definitions_[name] = {std::string(trimmed(rest.substr(space)))};
  }

  std::string expanded(std::string text) {
    std::size_t from = 0;
    for (int left = 1000; left > 0; --left) {
      // The innermost first.
      const std::size_t end = text.find(">>", from);
      const std::size_t begin = text.rfind("<<", end);
      if (end == std::string::npos) {
        if (begin != std::string::npos) fail("<< without >>");
        return text;
      }
      if (begin == std::string::npos) fail(">> without <<");
      bool again = false;
      const std::string value = meaning(text.substr(begin + 2, end - begin - 2), again);
      text.replace(begin, end + 2 - begin, value);
      from = again ? begin : begin + value.size();
    }
    fail("definitions that never end");
  }

  // `again`: the text may have << >> itself.
  std::string meaning(const std::string& inside, bool& again) {
    if (inside.empty()) return {};
    const std::size_t star = inside.rfind('*');
    const bool repeats = star != std::string::npos && is_number(inside.substr(star + 1));
    std::string unit = repeats ? inside.substr(0, star) : inside;
    const bool is_hex = unit.starts_with("0x");
    if (is_hex) unit = bytes_of(unit.substr(2));
    if (!repeats) return is_hex ? unit : defined(unit, again);
    std::string out;
    for (std::size_t i = 0; i < std::stoul(inside.substr(star + 1)); ++i) {
      out += is_hex ? unit : replace_all(unit, "%", std::to_string(i));
    }
    return out;
  }

  std::string defined(const std::string& use, bool& again) {
    const std::vector<std::string> parts = split(use, "|");
    const auto found = definitions_.find(parts.front());
    if (found == definitions_.end()) fail("<<" + use + ">> is not defined");
    found->second.is_used = true;
    again = true;
    std::string text = found->second.text;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      text = replace_all(text, "$" + std::to_string(i), parts[i]);
    }
    return text;
  }

  void check_titles() {
    bool has_case = true;
    for (const CaseLine& line : file_.lines) {
      if (line.kind == CaseLine::Kind::Title && !has_case) break;
      has_case = line.kind != CaseLine::Kind::Title && (has_case || is_case(line));
    }
    if (!has_case) fail("a title without a case");
    if (std::none_of(file_.lines.begin(), file_.lines.end(), is_case)) fail("no case");
  }

  static bool is_case(const CaseLine& line) { return line.kind == CaseLine::Kind::Case; }

  CaseFile file_;
  std::size_t number_ = 0;
  bool is_open_ = false;
  CaseLine open_{};
  std::vector<std::string> parts_;  // of the open line: input, expectations
  std::map<std::string, Definition> definitions_;
};

}  // namespace

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + separator.size());
  }
}

CaseFile read_cases(std::string name, std::string_view text) {
  return Reader(std::move(name)).read(text);
}

std::vector<CaseFile> read_case_folder(std::string_view folder) {
  const std::filesystem::path root = source_path("");
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(root / "tests/cases" / folder)) {
    if (entry.path().extension() == ".cases") paths.push_back(entry.path());
  }
  if (paths.empty()) throw std::runtime_error("no case files in " + std::string(folder));
  std::sort(paths.begin(), paths.end());
  std::vector<CaseFile> files;
  for (const auto& path : paths) {
    std::ifstream stream(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    files.push_back(read_cases(path.lexically_relative(root).string(), text));
  }
  return files;
}

std::string strict_json(std::string_view relaxed) {
  std::string out;
  const auto is_at_name = [&out] {
    return !out.empty() && (out.back() == '{' || out.back() == ',');
  };
  for (std::size_t i = 0; i < relaxed.size();) {
    const char c = relaxed[i];
    if (c == ' ') {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    if (c == '"') {
      while (end < relaxed.size() && relaxed[end] != '"') end += relaxed[end] == '\\' ? 2 : 1;
      out += relaxed.substr(i, end + 1 - i);
      ++end;
    } else if (c == '}' || c == ']') {
      if (!out.empty() && out.back() == ',') out.pop_back();
      out += c;
    } else if (c == '{' || c == '[' || c == ',' || (c == ':' && !is_at_name())) {
      out += c;
    } else {
      end = std::min(relaxed.find_first_of(" ,:{}[]\"", i + 1), relaxed.size());
      const std::string_view word = relaxed.substr(i, end - i);
      const bool is_literal = c == '-' || std::isdigit(static_cast<unsigned char>(c)) != 0 ||
                              word == "true" || word == "false" || word == "null";
      out.append(is_literal ? "" : "\"").append(word).append(is_literal ? "" : "\"");
    }
    i = end;
  }
  return out;
}

void CaseReport::compare(const CaseFile& file, const CaseLine& line, std::string_view title,
                         std::string_view expected, std::string_view actual) {
  ++count;
  if (expected == actual) return;
  const auto shown = [](std::string_view text) {
    return text.size() < 2000 ? std::string(text) : std::string(text.substr(0, 2000)) + " …";
  };
  failures.push_back(file.name + ":" + std::to_string(line.number) + ": " + std::string(title) +
                     "\n  input:    " + shown(line.text) + "\n  expected: " + shown(expected) +
                     "\n  actual:   " + shown(actual));
}

CaseFile only_titles(const CaseFile& file, std::string_view wanted) {
  CaseFile chosen{file.name, {}};
  bool is_chosen = true;  // what stands before the first title belongs to each
  bool has_title = false;
  for (const CaseLine& line : file.lines) {
    if (line.kind == CaseLine::Kind::Title) {
      is_chosen = line.text.find(wanted) != std::string::npos;
      has_title = has_title || is_chosen;
    }
    if (is_chosen) chosen.lines.push_back(line);
  }
  if (!has_title)
    throw std::runtime_error(file.name + ": no title has the text " + std::string(wanted));
  return chosen;
}

namespace {

// STATOR_CASE chooses: FILE or FILE:TITLE, without the folder and `.cases`.
std::vector<CaseFile> chosen_files(std::string_view folder) {
  std::vector<CaseFile> files = read_case_folder(folder);
  const char* const wanted = std::getenv("STATOR_CASE");
  if (wanted == nullptr) return files;
  const std::string_view choice = wanted;
  const std::string name = "/" + std::string(choice.substr(0, choice.find(':'))) + ".cases";
  std::erase_if(files, [&](const CaseFile& file) { return !file.name.ends_with(name); });
  if (files.empty())
    throw std::runtime_error("no case file " + name + " in " + std::string(folder));
  if (const std::size_t colon = choice.find(':'); colon != std::string_view::npos)
    files = {only_titles(files.front(), choice.substr(colon + 1))};
  return files;
}

}  // namespace

void run_case_folder(std::string_view folder, CaseReport (*run)(const CaseFile& file)) {
  std::size_t count = 0;
  const std::vector<CaseFile> files = chosen_files(folder);
  for (const CaseFile& file : files) {
    CaseReport report;
    try {
      report = run(file);
    } catch (const std::runtime_error& problem) {
      FAIL_CHECK(problem.what());
      continue;
    }
    for (const std::string& failure : report.failures) FAIL_CHECK(failure);
    if (report.count == 0) FAIL_CHECK(file.name << ": nothing was compared");
    count += report.count;
  }
  std::cout << "tests/cases/" << folder << ": " << count << " expectations in " << files.size()
            << " files\n";
}

}  // namespace stator::test

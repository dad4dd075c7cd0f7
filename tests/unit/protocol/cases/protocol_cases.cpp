#include "tests/unit/protocol/cases/protocol_cases.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tests/unit/protocol/cases/case_kinds.h"

namespace stator::test {
namespace {

bool is_one_of(std::string_view name, std::string_view list) {
  const std::vector<std::string> names = split(list, ", ");
  return std::find(names.begin(), names.end(), name) != names.end();
}

const CaseKind* find_kind(std::string_view name) {
  for (const auto kinds : {expression_case_kinds(), value_case_kinds(), statement_case_kinds()}) {
    for (const CaseKind& kind : kinds) {
      if (kind.name == name) return &kind;
    }
  }
  return nullptr;
}

class Runner {
 public:
  explicit Runner(const CaseFile& file) : file_(file) {}

  CaseReport run() {
    for (const CaseLine& line : file_.lines) {
      line_ = &line;
      if (line.kind == CaseLine::Kind::Title) {
        title_ = line.text;
        forget_expectations();
      } else if (line.kind == CaseLine::Kind::Directive) {
        direct(line.text, line.rest);
      } else if (line.expectations.empty() && !all_.empty()) {
        for (const std::string& input : split(line.text, "  ")) {
          if (input.empty()) fail("nothing between two spaces; give it an expectation of its own");
          check(input, all_);
        }
      } else {
        if (line.expectations.size() != 1) fail("a case expects one thing");
        check(line.text, line.expectations.front());
      }
    }
    return std::move(report_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(file_.name + ":" + std::to_string(line_->number) + ": " + what);
  }

  void forget_expectations() {
    all_.clear();
    variants_.clear();
  }

  void direct(std::string_view name, const std::string& rest) {
    if (name == "kind") {
      kind_ = find_kind(rest);
      if (kind_ == nullptr) fail("no such kind: " + rest);
      fields_.clear();
      return forget_expectations();
    }
    if (kind_ == nullptr) fail("@kind must come first");
    if (name == "all") {
      all_ = rest;
    } else if (name == "in") {
      const std::size_t sign = rest.starts_with("= ") ? 0 : rest.find(" = ") + 1;
      if (rest.find("= ", sign) != sign) fail("@in variants = expectation");
      for (const std::string& variant : split(rest.substr(0, sign == 0 ? 0 : sign - 1), ", ")) {
        if (!is_one_of(variant, kind_->variants)) fail("no such variant of the kind: " + variant);
        variants_.emplace_back(variant, rest.substr(sign + 2));
      }
    } else {
      if (!is_one_of(name, kind_->fields)) fail("the kind reads no @" + std::string(name));
      if (name == "new") fields_.erase("item");
      fields_[std::string(name)] = rest;
    }
  }

  void check(std::string input, const std::string& expectation) {
    if (kind_ == nullptr) fail("@kind must come first");
    CaseFields fields = fields_;
    if (const std::size_t on = input.find(" on {");
        on != std::string::npos && is_one_of("item", kind_->fields)) {
      fields["item"] = input.substr(on + 4);
      input.resize(on);
    }
    std::vector<std::pair<std::string, std::string>> variants = variants_;
    if (variants.empty()) {
      for (const std::string& name : split(kind_->variants, ", "))
        variants.emplace_back(name, "$1");
    }
    for (const auto& [variant, pattern] : variants) {
      CaseLine shown = *line_;
      shown.text = input + (variant.empty() ? "" : "  [" + variant + "]");
      const std::string expected = filled(pattern, expectation);
      report_.compare(file_, shown, title_, expected, kind_->run(input, variant, fields));
    }
  }

  std::string filled(std::string pattern, const std::string& expectation) const {
    std::vector<std::string> parts{expectation};
    if (std::any_of(variants_.begin(), variants_.end(), [](const auto& variant) {
          return variant.second.find("$2") != std::string::npos;
        })) {
      parts = split(expectation, " | ");
      if (parts.size() != 2) fail("two parts, with | between them");
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      pattern = replace_all(std::move(pattern), "$" + std::to_string(i + 1), parts[i]);
    }
    return kind_->is_relaxed && pattern.starts_with("{") ? strict_json(pattern) : pattern;
  }

  const CaseFile& file_;
  const CaseLine* line_ = nullptr;
  const CaseKind* kind_ = nullptr;
  std::string title_;
  CaseFields fields_;
  std::string all_;
  std::vector<std::pair<std::string, std::string>> variants_;  // and what is expected in each
  CaseReport report_;
};

}  // namespace

CaseReport run_protocol_cases(const CaseFile& file) { return Runner(file).run(); }

}  // namespace stator::test

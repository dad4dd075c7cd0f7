#include "server/templates/stacks/serverless_variables.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <utility>

#include "server/options/variables.h"
#include "server/templates/intrinsics/lists.h"
#include "server/templates/stacks/variable_syntax.h"
#include "server/templates/tree/node_values.h"
#include "server/templates/tree/read_tree.h"

namespace stator::templates {
namespace {

// Of variables in variables, and of all of them.
constexpr std::size_t kVariableDepthMax = 64;
constexpr std::size_t kStepsMax = 200'000;

constexpr std::string_view kAdvice =
    "only Serverless can resolve it: serverless print --format json | stator apply -";

// The element of a list, by its number, or the member of a map; nullptr without.
const Node* child_of(const Node& node, std::string_view name) {
  if (!node.is_list()) return node.find(name);
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  const bool is_number = error == std::errc() && end == name.data() + name.size();
  return is_number && index < node.elements().size() ? &node.elements()[index] : nullptr;
}

}  // namespace

Resolution ServerlessVariables::expand(const Node& scalar) {
  if (scalar.text().find("${") == std::string_view::npos) return scalar;
  if (depth_ >= kVariableDepthMax || ++steps_ > kStepsMax || forest_.is_exhausted())
    return fail(scalar.spot(), compose({"the variables of '", scalar.text().substr(0, 80),
                                        "' depend on each other without an end"}));
  ++depth_;
  Resolution result = expand_within(scalar);
  --depth_;
  return result;
}

Resolution ServerlessVariables::expand_within(const Node& scalar) {
  const std::string_view text = scalar.text();
  std::string result;
  std::size_t from = 0;
  while (true) {
    const std::size_t start = text.find("${", from);
    result += text.substr(from, start == std::string_view::npos ? start : start - from);
    if (start == std::string_view::npos) break;
    const std::size_t end = variable_end(text, start + 2);
    if (end == std::string_view::npos) return fail(scalar.spot(), "'${' has no '}'");
    const std::string_view content = text.substr(start + 2, end - start - 2);
    from = end + 1;
    if (!is_variable(content)) {
      result += text.substr(start, from - start);
      continue;
    }
    auto value = evaluate(content, scalar.spot());
    if (!value) return value;
    if (start == 0 && from == text.size()) return value;
    if (!value->is_scalar()) return fail(scalar.spot(), compose({"${", content, "} is no text"}));
    result += value->text();
  }
  return forest_.make_scalar(result, scalar.is_quoted(), scalar.spot());
}

Resolution ServerlessVariables::evaluate(std::string_view content, Spot spot) {
  for (const std::string_view source : variable_sources(content)) {
    const auto found = evaluate_source(source, spot);
    if (!found) return tl::unexpected(found.error());
    if (*found) return **found;
  }
  return fail(spot,
              compose({"${", content, "} has no value; options are given by --var NAME=VALUE"}));
}

ServerlessVariables::Found ServerlessVariables::evaluate_source(std::string_view source,
                                                                Spot spot) {
  if (const auto text = quoted_default(source))
    return std::optional(forest_.make_scalar(*text, true, spot));
  // Inner variables come first: ${self:custom.${opt:stage}}.
  std::string inner(source);
  if (source.find("${") != std::string_view::npos) {
    const auto expanded = expand(Node::scalar(source, false, spot));
    if (!expanded) return tl::unexpected(expanded.error());
    if (source.starts_with("${") && variable_end(source, 2) + 1 == source.size())
      return std::optional(*expanded);
    inner = expanded->text();
  }
  if (const auto address = variable_address(inner))
    return look_up(address->type, address->argument, address->address, spot);
  // A default without quotes: a number, true, false or null.
  const Node plain = forest_.make_scalar(inner, false, spot);
  if (is_json_number(inner) || boolean_of(plain) || plain.is_null()) return std::optional(plain);
  return fail(spot, compose({"'", source, "' is no source of a variable"}));
}

ServerlessVariables::Found ServerlessVariables::look_up(std::string_view type,
                                                        std::string_view argument,
                                                        std::string_view address, Spot spot) {
  if (type == "self") return self(address);
  if (type == "opt") return text_found(option(address), spot);
  if (type == "env") return environment(address, spot);
  if (type == "file") return file(argument, address, spot);
  if (type == "param") return param(address, spot);
  if (type == "sls" && address == "stage") {
    const auto name = stage();
    if (!name) return tl::unexpected(name.error());
    return text_found(*name, spot);
  }
  if (type == "aws" && address == "region") return text_found(options_.region, spot);
  if (type == "aws" && address == "accountId") return text_found(options_.account_id, spot);
  if (type == "strToBool") {
    const auto truth = boolean_of(Node::scalar(argument, false, spot));
    if (truth || argument == "1" || argument == "0")
      return std::optional(
          Node::scalar(truth.value_or(argument == "1") ? "true" : "false", false, spot));
  }
  return fail(spot, compose({"${", type, ":", address, "}: ", kAdvice}));
}

ServerlessVariables::Found ServerlessVariables::text_found(const std::optional<std::string>& text,
                                                           Spot spot) {
  if (!text) return std::optional<Node>();
  return std::optional(forest_.make_scalar(*text, true, spot));
}

std::optional<std::string> ServerlessVariables::option(std::string_view name) const {
  const auto& all = options_.variables;
  const auto found = std::find_if(all.rbegin(), all.rend(),
                                  [&](const NamedText& one) { return one.first == name; });
  if (found == all.rend()) return std::nullopt;
  return found->second;
}

ServerlessVariables::Found ServerlessVariables::environment(std::string_view name, Spot spot) {
  const std::string text(name);
  if (options_.environment) return text_found(options_.environment(text), spot);
  if (!is_variable_set(text.c_str())) return std::optional<Node>();
  return text_found(variable_text(text.c_str()), spot);
}

ServerlessVariables::Found ServerlessVariables::self(std::string_view address) {
  auto found = at_path(root_, address);
  // What Serverless itself assumes.
  if (found && !*found && address == "provider.stage") {
    const auto name = stage();
    if (!name) return tl::unexpected(name.error());
    return text_found(*name, root_.spot());
  }
  if (found && !*found && address == "provider.region")
    return text_found(options_.region, root_.spot());
  return found;
}

ServerlessVariables::Found ServerlessVariables::at_path(const Node& from, std::string_view path) {
  auto at = expand(from);
  if (!at) return tl::unexpected(at.error());
  if (path.empty()) return std::optional(*at);
  for (const std::string_view name : split_text(path, ".")) {
    const Node* const child = child_of(*at, name);
    if (child == nullptr) return std::optional<Node>();
    at = expand(*child);
    if (!at) return tl::unexpected(at.error());
  }
  if (at->is_null()) return std::optional<Node>();
  return std::optional(*at);
}

tl::expected<std::string, Mistake> ServerlessVariables::stage() {
  if (const auto given = option("stage")) return *given;
  const auto written = at_path(root_, "provider.stage");
  if (!written) return tl::unexpected(written.error());
  return std::string(*written ? (*written)->text() : std::string_view("dev"));
}

ServerlessVariables::Found ServerlessVariables::param(std::string_view name, Spot spot) {
  const auto& all = options_.parameters;
  const auto given = std::find_if(all.rbegin(), all.rend(),
                                  [&](const NamedText& one) { return one.first == name; });
  if (given != all.rend()) return text_found(given->second, spot);
  const auto current = stage();
  if (!current) return tl::unexpected(current.error());
  for (const std::string& path :
       {compose({"stages.", *current, ".params."}), std::string("stages.default.params."),
        compose({"params.", *current, "."}), std::string("params.default.")}) {
    auto found = at_path(root_, compose({path, name}));
    if (!found || *found) return found;
  }
  return std::optional<Node>();
}

ServerlessVariables::Found ServerlessVariables::file(std::string_view path,
                                                     std::string_view address, Spot spot) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension != ".yml" && extension != ".yaml" && extension != ".json")
    return fail(spot, compose({"${file(", path, ")}: only YAML and JSON are read; ", kAdvice}));
  if (!options_.reads_files)
    return fail(spot, compose({"${file(", path, ")}: other files are not read here; ", kAdvice}));
  const std::string full = (std::filesystem::path(folder_) / path).lexically_normal().string();
  auto known = files_.find(full);
  if (known == files_.end()) {
    std::error_code error;
    if (!std::filesystem::exists(full, error)) return std::optional<Node>();
    auto text = read_text_file(full);
    if (!text) return tl::unexpected(text.error());
    auto root = read_tree(forest_, full, *std::move(text));
    if (!root) return tl::unexpected(root.error());
    known = files_.emplace(full, *root).first;
  }
  return at_path(known->second, address);
}

}  // namespace stator::templates

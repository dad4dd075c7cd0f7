// Reads files of any format, and checks what concerns all of them.
#include "server/templates/read_templates.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "server/templates/drafts/table_draft.h"
#include "server/templates/sources/table_json.h"
#include "server/templates/sources/template_folder.h"
#include "server/templates/sources/template_kind.h"
#include "server/templates/sources/terraform.h"
#include "server/templates/sources/workbench.h"
#include "server/templates/stacks/serverless.h"
#include "server/templates/stacks/stack_links.h"
#include "server/templates/tree/read_tree.h"

namespace stator::templates {
namespace {

// template.yaml: template; Stack.template.json: Stack.
std::string stack_name_for(const std::string& path, const ReadOptions& options) {
  if (!options.stack_name.empty()) return options.stack_name;
  if (path == "-") return "stack";
  std::string name = std::filesystem::path(path).filename().string();
  const std::size_t point = name.find('.', 1);
  if (point != std::string::npos) name.resize(point);
  return name;
}

std::string shown_path(const std::string& path) { return path == "-" ? "stdin" : path; }

// A file with the nodes in it. Templates of stacks know each other, so all are opened before the
// first is read.
class OpenedFile {
 public:
  OpenedFile(Reading& reading, std::string path) : reading_(reading), path_(std::move(path)) {}

  // False after a mistake.
  bool open(std::string text) {
    const auto root = read_tree(forest_, shown_path(path_), std::move(text));
    if (!root) {
      const bool is_code = advice_for(Node(), path_) != advice_for(Node(), "-");
      reading_.mistakes.push_back(is_code ? Mistake{{path_}, advice_for(Node(), path_)}
                                          : root.error());
      return false;
    }
    root_ = *root;
    kind_ = kind_of(root_);
    if (kind_ == TemplateKind::Cloudformation)
      stack_ = std::make_unique<Stack>(reading_, forest_, root_, path_,
                                       stack_name_for(path_, reading_.options));
    if (kind_ == TemplateKind::Serverless)
      stack_ = open_serverless(reading_, forest_, root_, path_);
    return true;
  }

  Stack* stack() { return stack_.get(); }

  void read() {
    switch (kind_) {
      case TemplateKind::Cloudformation:
      case TemplateKind::Serverless:
        if (stack_) stack_->reader.read();
        return;
      case TemplateKind::Terraform:
        return read_terraform(reading_, forest_, root_);
      case TemplateKind::Pulumi:
        return read_pulumi(reading_, forest_, root_);
      case TemplateKind::Workbench:
        return read_workbench(reading_, forest_, root_);
      case TemplateKind::TableJson:
        return read_table_json(reading_, forest_, root_, path_);
      case TemplateKind::Unknown:
        reading_.mistakes.push_back({{shown_path(path_)}, advice_for(root_, path_)});
    }
  }

 private:
  Reading& reading_;
  const std::string path_;
  Forest forest_;
  Node root_;
  TemplateKind kind_ = TemplateKind::Unknown;
  std::unique_ptr<Stack> stack_;
};

// All files of a command.
class OpenedFiles {
 public:
  explicit OpenedFiles(Reading& reading) : reading_(reading) {}

  void open(const std::string& path, std::string text) {
    auto file = std::make_unique<OpenedFile>(reading_, path);
    if (file->open(std::move(text))) files_.push_back(std::move(file));
  }

  void read() {
    std::vector<Stack*> stacks;
    for (const auto& file : files_)
      if (Stack* const stack = file->stack()) stacks.push_back(stack);
    const StackLinks links(std::move(stacks));
    for (const auto& file : files_) file->read();
  }

 private:
  Reading& reading_;
  std::vector<std::unique_ptr<OpenedFile>> files_;
};

void check_names(Reading& reading) {
  std::set<std::string_view> names;
  for (const DesiredTable& table : reading.tables)
    if (!names.insert(table.name).second)
      reading.mistakes.push_back(
          {table.place,
           compose({table.logical_id, ": another table has the name ", table.name, " too"})});
  for (const NamedText& given : reading.options.table_names) {
    const bool is_known =
        std::any_of(reading.tables.begin(), reading.tables.end(),
                    [&](const DesiredTable& table) { return table.logical_id == given.first; }) ||
        std::find(reading.declared_tables.begin(), reading.declared_tables.end(), given.first) !=
            reading.declared_tables.end();
    if (!is_known && reading.mistakes.empty())
      reading.mistakes.push_back(
          {{}, compose({"--name ", given.first, "=", given.second, ": there is no such table"})});
  }
}

// A name with a mistake in it would leave the default in place without a word.
void check_parameters(Reading& reading) {
  if (reading.takes_any_parameter) return;
  for (const NamedText& given : reading.options.parameters) {
    const auto& known = reading.declared_parameters;
    if (std::find(known.begin(), known.end(), given.first) == known.end())
      reading.mistakes.push_back(
          {{}, compose({"--param ", given.first, ": no template has this parameter"})});
  }
}

tl::expected<std::vector<DesiredTable>, std::vector<Mistake>> result_of(
    Reading& reading, const std::vector<std::string>& paths) {
  check_names(reading);
  if (reading.mistakes.empty()) check_parameters(reading);
  if (reading.mistakes.empty() && reading.tables.empty()) {
    std::string shown;
    for (const std::string& path : paths)
      shown.append(shown.empty() ? "" : ", ").append(shown_path(path));
    reading.mistakes.push_back({{std::move(shown)}, "there are no tables in it"});
  }
  if (!reading.mistakes.empty()) return tl::unexpected(std::move(reading.mistakes));
  return std::move(reading.tables);
}

void add_parameter(std::vector<NamedText>& found, std::string_view name, const Node& value) {
  std::string text(value.text());
  for (const Node& element : value.elements())
    text.append(text.empty() ? "" : ",").append(element.text());
  found.emplace_back(name, std::move(text));
}

// The parameters of a file; empty if it has another form.
std::optional<std::vector<NamedText>> parameters_in(const Node& root) {
  std::vector<NamedText> found;
  const Node* const inner = root.find("Parameters");
  const Node& all = inner != nullptr && inner->is_map() ? *inner : root;
  if (all.is_scalar()) return std::nullopt;
  for (const Member& member : all.members()) add_parameter(found, member.name, member.value);
  for (const Node& element : all.elements()) {
    const std::string_view text = element.text();
    const std::size_t equals = text.find('=');
    if (const Node* const name = element.find("ParameterKey")) {
      const Node* const value = element.find("ParameterValue");
      add_parameter(found, name->text(), value == nullptr ? Node() : *value);
    } else if (equals != std::string_view::npos) {
      found.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    } else {
      return std::nullopt;
    }
  }
  return found;
}

}  // namespace

tl::expected<void, Mistake> add_parameters_file(std::vector<NamedText>& parameters,
                                                const std::string& path) {
  auto text = read_text_file(path);
  if (!text) return tl::unexpected(text.error());
  Forest forest;
  const auto root = read_tree(forest, path, *std::move(text));
  if (!root) return tl::unexpected(root.error());
  auto found = parameters_in(*root);
  if (!found)
    return tl::unexpected(
        Mistake{{path}, "parameters are a map, or a list of ParameterKey and ParameterValue"});
  for (NamedText& one : *found) {
    const bool is_given =
        std::any_of(parameters.begin(), parameters.end(),
                    [&](const NamedText& other) { return other.first == one.first; });
    if (!is_given) parameters.push_back(std::move(one));
  }
  return {};
}

tl::expected<std::vector<DesiredTable>, std::vector<Mistake>> read_templates(
    const std::vector<std::string>& paths, const ReadOptions& options) {
  Reading reading{options};
  OpenedFiles opened(reading);
  for (const std::string& path : paths) {
    const auto files = template_files(path);
    if (!files) {
      reading.mistakes.push_back(files.error());
      continue;
    }
    for (const std::string& file : *files) {
      auto text = read_text_file(file);
      if (text) {
        opened.open(file, *std::move(text));
      } else {
        reading.mistakes.push_back(text.error());
      }
    }
  }
  opened.read();
  return result_of(reading, paths);
}

tl::expected<std::vector<DesiredTable>, std::vector<Mistake>> read_template_text(
    std::string text, const std::string& path, const ReadOptions& options) {
  Reading reading{options};
  OpenedFiles opened(reading);
  opened.open(path, std::move(text));
  opened.read();
  return result_of(reading, {path});
}

bool is_template_file(const std::string& path) {
  auto text = read_text_file(path);
  if (!text) return false;
  Forest forest;
  const auto root = read_tree(forest, path, *std::move(text));
  return root && kind_of(*root) != TemplateKind::Unknown;
}

}  // namespace stator::templates

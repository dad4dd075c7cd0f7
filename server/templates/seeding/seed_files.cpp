#include "server/templates/seeding/seed_files.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "server/data/formats/input_file.h"
#include "server/data/transfer/json_text.h"
#include "server/data/transfer/table_schema.h"
#include "server/templates/sources/service_rules.h"
#include "server/templates/sources/template_folder.h"

namespace stator::templates {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTableEnding = ".table.json";

bool is_yaml(const std::string& name) { return name.ends_with(".yaml") || name.ends_with(".yml"); }

// Whether all files in this folder are YAML, at any depth.
bool has_only_yaml(const fs::path& folder) {
  std::error_code error;
  bool is_so = fs::is_directory(folder, error);
  for (auto entry = fs::recursive_directory_iterator(folder, error);
       is_so && !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
    is_so = entry->is_directory(error) || is_yaml(entry->path().filename().string());
  return is_so && !error;
}

// The text about a folder's contents, such as README.md.
bool is_prose(const std::string& name) {
  return name.ends_with(".md") || name.starts_with("README") || name.starts_with("LICENSE");
}

// {"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 7}; empty without it.
std::optional<DesiredRecovery> recovery_of(std::string text) {
  Arena arena;
  const auto node = read_json(text, arena);
  if (text.empty() || !node || node->kind() != JsonNode::Kind::Object) return {};
  DesiredRecovery recovery;
  recovery.is_enabled = data::is_true(*node, "PointInTimeRecoveryEnabled");
  const auto days = data::count_in(*node, "RecoveryPeriodInDays");
  if (days > 0 && days <= kPeriodDaysDefault) recovery.period_days = static_cast<int>(days);
  return recovery;
}

// {"StreamArn": …, "ApproximateCreationDateTimePrecision": …}; empty without it.
std::optional<DesiredKinesis> kinesis_of(std::string text) {
  Arena arena;
  const auto node = read_json(text, arena);
  if (text.empty() || !node || node->kind() != JsonNode::Kind::Object) return {};
  return DesiredKinesis{std::string(data::text_in(*node, "StreamArn")),
                        std::string(data::text_in(*node, "ApproximateCreationDateTimePrecision"))};
}

class SeedReader {
 public:
  explicit SeedReader(const ReadOptions& options) : options_{options} {}

  void read_folder(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> paths;
    for (auto entry = fs::directory_iterator(folder, error);
         !error && entry != fs::directory_iterator(); entry.increment(error)) {
      if (!entry->path().filename().string().starts_with('.')) paths.push_back(entry->path());
    }
    if (error) return add_problem(folder.string(), error.message());
    std::sort(paths.begin(), paths.end());
    std::vector<fs::path> others;
    for (const fs::path& path : paths)
      if (!read_table_file(path)) others.push_back(path);
    read_folders_templates(folder, others);
    for (const fs::path& path : others) take_items(path);
  }

  void read_file(const fs::path& path) {
    if (!read_table_file(path)) read_template_files({path.string()});
  }

  tl::expected<std::vector<SeedTable>, std::vector<std::string>> result() && {
    for (const SeedTable& table : tables_) {
      const auto tagged = data::with_tag(table.table.create_body, data::kSeedingTag);
      if (!tagged)
        add_problem(table.table.place.file,
                    tagged.error() + ", and --seed needs one while it loads");
    }
    if (!problems_.empty()) return tl::unexpected(std::move(problems_));
    return std::move(tables_);
  }

 private:
  void add_problem(const std::string& file, const std::string& text) {
    problems_.push_back(std::string(file).append(": ").append(text));
  }

  // Returns whether this is a file NAME.table.json.
  bool read_table_file(const fs::path& path) {
    std::string name = path.filename().string();
    if (!name.ends_with(kTableEnding)) return false;
    name.resize(name.size() - kTableEnding.size());
    auto text = data::read_file(path.string());
    if (!text) {
      problems_.push_back(std::move(text).error());
      return true;
    }
    auto schema = data::parse_schema(*text, name);
    if (!schema) {
      add_problem(path.string(), schema.error());
      return true;
    }
    add({.logical_id = name,
         .name = name,
         .place = {path.string()},
         .create_body = std::move(schema->create_body),
         .ttl_attribute = std::move(schema->ttl_attribute),
         .recovery = recovery_of(std::move(schema->recovery)),
         .kinesis = kinesis_of(std::move(schema->kinesis))},
        false);
    return true;
  }

  void add(DesiredTable table, bool is_of_template) {
    auto shape = shape_of(table);
    if (!shape) return add_problem(table.place.file, shape.error());
    const bool is_known = std::any_of(tables_.begin(), tables_.end(), [&](const SeedTable& other) {
      return other.table.name == table.name;
    });
    if (is_known)
      return add_problem(table.place.file, "another file has the table '" + table.name + "' too");
    if (const auto refusal = refusal_of(table.create_body)) {
      problems_.push_back(Mistake{table.place, table.logical_id + ": " + *refusal}.message());
      return;
    }
    tables_.push_back({std::move(table), *std::move(shape), {}, is_of_template});
  }

  void read_template_files(const std::vector<std::string>& paths) {
    auto read = read_templates(paths, options_);
    if (!read) {
      for (const Mistake& mistake : read.error()) problems_.push_back(mistake.message());
      return;
    }
    for (DesiredTable& table : *read) add(std::move(table), true);
  }

  // Leaves those in `paths` that are no templates. A file of a table NAME.table.json has items,
  // whatever it looks like.
  void read_folders_templates(const fs::path& folder, std::vector<fs::path>& paths) {
    const auto listed = template_files(folder.string());
    if (!listed) return;  // none
    std::vector<std::string> files;
    for (const std::string& file : *listed) {
      const std::string name = fs::path(file).filename().string();
      if (name.ends_with(kTableEnding) || owner_of(name) != nullptr) continue;
      files.push_back(file);
      paths.erase(std::remove(paths.begin(), paths.end(), fs::path(file)), paths.end());
      is_synthesised_ = is_synthesised_ || name.ends_with(".template.json");
    }
    has_templates_ = !files.empty();
    if (has_templates_) read_template_files(files);
  }

  void take_items(const fs::path& path) {
    const std::string name = path.filename().string();
    if (SeedTable* const table = owner_of(name)) return table->files.push_back(path.string());
    // A template may include files of YAML, and CDK's output has files of its own.
    if (is_prose(name) || is_synthesised_) return;
    if (has_templates_ && (is_yaml(name) || has_only_yaml(path))) return;
    if (problems_.empty() || !has_templates_)
      add_problem(path.string(), "no NAME.table.json and no template has the table it belongs to");
  }

  // Table names may contain points, so the longest match wins.
  SeedTable* owner_of(const std::string& file) {
    SeedTable* owner = nullptr;
    for (SeedTable& table : tables_) {
      const std::string& name = table.table.name;
      const bool fits = file == name || file.starts_with(name + ".");
      if (fits && (owner == nullptr || owner->table.name.size() < name.size())) owner = &table;
    }
    return owner;
  }

  const ReadOptions& options_;
  std::vector<SeedTable> tables_;
  std::vector<std::string> problems_;
  bool has_templates_ = false;
  bool is_synthesised_ = false;
};

}  // namespace

tl::expected<std::vector<SeedTable>, std::vector<std::string>> read_seed(
    const fs::path& path, const ReadOptions& options) {
  SeedReader reader{options};
  std::error_code error;
  const bool is_file = fs::exists(path, error) && !fs::is_directory(path, error);
  if (is_file) {
    reader.read_file(path);
  } else {
    reader.read_folder(path);
  }
  return std::move(reader).result();
}

}  // namespace stator::templates

// Templates read from texts, shown as text.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "server/templates/read_templates.h"

namespace stator::test {

// A table's parts, one a line: its name and body first.
inline std::string shown(const templates::DesiredTable& table) {
  std::string text = table.logical_id;
  text.append(" -> ").append(table.name).append("\n").append(table.create_body).append("\n");
  if (!table.ttl_attribute.empty()) text.append("ttl ").append(table.ttl_attribute).append("\n");
  if (table.recovery) {
    text.append("recovery ").append(table.recovery->is_enabled ? "on" : "off");
    if (table.recovery->period_days)
      text.append(" ").append(std::to_string(*table.recovery->period_days));
    text += '\n';
  }
  for (const auto& insight : table.insights) {
    text.append("insights ").append(insight.is_enabled ? "on" : "off");
    if (!insight.index.empty()) text.append(" ").append(insight.index);
    if (!insight.mode.empty()) text.append(" ").append(insight.mode);
    text += '\n';
  }
  if (table.kinesis)
    text.append("kinesis ")
        .append(table.kinesis->stream_arn)
        .append(" ")
        .append(table.kinesis->precision)
        .append("\n");
  for (const auto& member : table.left_out) text.append("left out ").append(member).append("\n");
  for (const auto& item : table.items) text.append("item ").append(item).append("\n");
  return text;
}

using ReadResult =
    tl::expected<std::vector<templates::DesiredTable>, std::vector<templates::Mistake>>;

// All tables, or all mistakes, one a line.
inline std::string shown(const ReadResult& result) {
  std::string text;
  if (result) {
    for (const auto& table : *result) text += shown(table);
  } else {
    for (const auto& mistake : result.error()) text.append(mistake.message()).append("\n");
  }
  return text;
}

inline std::string read_text_as(const std::string& path, std::string_view text,
                                const templates::ReadOptions& options = {}) {
  return shown(templates::read_template_text(std::string(text), path, options));
}

inline std::string read_yaml_template(std::string_view text,
                                      const templates::ReadOptions& options = {}) {
  return read_text_as("t.yaml", text, options);
}

// The result for a template that has these properties for its one table, T, at line 5.
inline std::string table_with(std::string_view properties,
                              const templates::ReadOptions& options = {}) {
  std::string text =
      "AWSTemplateFormatVersion: '2010-09-09'\n"
      "Resources:\n"
      "  T:\n"
      "    Type: AWS::DynamoDB::Table\n"
      "    Properties:\n";
  return read_yaml_template(text.append(properties), options);
}

// A folder that goes with the object.
class TemplateFolder {
 public:
  TemplateFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "stator-templates-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) folder_ = pattern;
  }
  ~TemplateFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TemplateFolder(const TemplateFolder&) = delete;
  TemplateFolder& operator=(const TemplateFolder&) = delete;

  std::string path(std::string_view name) const { return (folder_ / name).string(); }
  std::string folder() const { return folder_.string(); }
  // Writes a file, and returns its path.
  std::string write(std::string_view name, std::string_view text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace stator::test

#include "server/jobs/import_reader.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "server/data/formats/input_file.h"
#include "server/data/formats/item_of.h"
#include "server/jobs/job_parts.h"

namespace stator {
namespace {

data::Format format_of(ImportFormat format) {
  switch (format) {
    case ImportFormat::DynamodbJson:
      return data::Format::DynamodbJson;
    case ImportFormat::Ion:
      return data::Format::Ion;
    case ImportFormat::Csv:
      break;
  }
  return data::Format::Csv;
}

data::ReadOptions options_of(const ImportJob& job) {
  data::ReadOptions options;
  options.format = format_of(job.request.format);
  options.may_be_empty = true;
  options.has_plain_columns = true;
  options.is_strict = true;
  options.delimiter = job.request.delimiter.empty() ? ',' : job.request.delimiter.front();
  options.header = job.request.header;
  for (const KeyAttribute& key : job.table.attribute_definitions)
    options.types.emplace(key.name, type_name(key.type));
  return options;
}

void skip_space(std::string_view& text) {
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\r\n")));
}

// {"Item":…}: a line of DynamoDB JSON without it is no item for the service.
bool has_item_member(std::string_view line) {
  constexpr std::string_view kName = "\"Item\"";
  skip_space(line);
  if (!line.starts_with('{')) return false;
  line.remove_prefix(1);
  skip_space(line);
  if (!line.starts_with(kName)) return false;
  line.remove_prefix(kName.size());
  skip_space(line);
  return line.starts_with(':');
}

}  // namespace

tl::expected<std::unique_ptr<data::RecordReader>, std::string> open_import_object(
    const ImportJob& job, std::unique_ptr<data::ObjectReader> object, const std::string& key,
    data::ObjectRead& progress) {
  auto source = std::make_unique<data::ObjectSource>(std::move(object), progress);
  auto file =
      data::InputFile::of_source(std::move(source), key, packing_of(job.request.compression));
  const bool is_empty = file.peek() < 0;
  if (!file.error().empty()) return tl::unexpected(file.error());
  if (is_empty) return std::unique_ptr<data::RecordReader>();
  return data::read_records(std::move(file), options_of(job));
}

tl::expected<ImportItem, std::string> import_item_of(const ImportJob& job, data::Record& record) {
  if (!record.problem.empty()) return tl::unexpected(record.problem);
  if (job.request.format == ImportFormat::DynamodbJson && !has_item_member(record.raw))
    return tl::unexpected(std::string("it has no member Item"));
  const auto item = data::item_of(record.item, record.arena);
  if (!item) return tl::unexpected(item.error());
  auto checked = check_import_item(job.table, *item);
  if (!checked) return tl::unexpected(checked.error().message());
  return *checked;
}

}  // namespace stator

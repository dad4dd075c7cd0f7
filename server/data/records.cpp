#include "server/data/records.h"

#include <array>
#include <filesystem>
#include <utility>

#include "server/data/csv_records.h"
#include "server/data/export_folder.h"
#include "server/data/input_file.h"
#include "server/data/json_records.h"

namespace stator::data {

std::string_view format_name(Format format) {
  constexpr std::array<std::string_view, 6> kNames = {"auto", "json", "dynamodb-json",
                                                      "csv",  "scan", "export"};
  return kNames[static_cast<std::size_t>(format)];
}

tl::expected<std::unique_ptr<RecordReader>, std::string> open_records(const std::string& path,
                                                                      const ReadOptions& options) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return make_export_reader(path);
  if (options.format == Format::Export) return tl::unexpected(path + " is no folder");
  auto file = InputFile::open(path);
  if (!file) return tl::unexpected(std::move(file).error());
  const Format found = recognise(*file);
  if (!file->error().empty()) return tl::unexpected(file->error());
  if (options.format == Format::Csv || (options.format == Format::Auto && found == Format::Csv))
    return make_csv_reader(*std::move(file), options);
  Format format = options.format;
  if (format == Format::Auto && found == Format::Scan) format = Format::Scan;
  return make_json_reader(*std::move(file), format);
}

}  // namespace stator::data

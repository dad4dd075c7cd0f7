#include "server/data/formats/records.h"

#include <array>
#include <filesystem>
#include <utility>

#include "server/data/formats/csv_records.h"
#include "server/data/formats/export_folder.h"
#include "server/data/formats/ion_records.h"
#include "server/data/formats/json_records.h"
#include "server/data/recognition/file_look.h"
#include "server/data/recognition/utf16.h"

namespace stator::data {

std::string_view format_name(Format format) {
  constexpr std::array<std::string_view, 7> kNames = {"auto", "json", "dynamodb-json", "csv",
                                                      "ion",  "scan", "export"};
  return kNames[static_cast<std::size_t>(format)];
}

tl::expected<std::unique_ptr<RecordReader>, std::string> read_records(InputFile file,
                                                                      const ReadOptions& options) {
  if (const auto order = utf16_order(file.look_ahead(kLookBytes)); order && !options.is_strict)
    file.decode_utf16(*order);
  const std::string foreign = foreign_look(file.look_ahead(kLookBytes).substr(0, kLookBytes));
  if (!foreign.empty()) return tl::unexpected(file.path() + " is " + foreign);
  const Format found = recognise(file);
  if (!file.error().empty()) return tl::unexpected(file.error());
  if (file.peek() < 0 && !options.may_be_empty) return tl::unexpected(file.path() + " is empty");
  // For the two kinds of JSON the first record decides.
  const bool is_known = found != Format::Json;
  const Format format = options.format == Format::Auto && is_known ? found : options.format;
  if (format == Format::Csv) return make_csv_reader(std::move(file), options);
  if (!options.column_types.empty()) {
    return tl::unexpected(file.path() + " is " + (format == Format::Ion ? "Ion" : "JSON") +
                          "; --types is for the columns of CSV");
  }
  if (format == Format::Ion) return make_ion_reader(std::move(file));
  return make_json_reader(std::move(file), format, options);
}

tl::expected<std::unique_ptr<RecordReader>, std::string> open_records(const std::string& path,
                                                                      const ReadOptions& options) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return make_export_reader(path);
  if (options.format == Format::Export) return tl::unexpected(path + " is no folder");
  auto file = InputFile::open(path, options.packing);
  if (!file) return tl::unexpected(std::move(file).error());
  return read_records(*std::move(file), options);
}

}  // namespace stator::data

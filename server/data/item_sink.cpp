#include "server/data/item_sink.h"

#include <mutex>
#include <utility>

#include "server/data/export_folder.h"
#include "server/data/json_text.h"
#include "server/data/output_file.h"
#include "server/data/progress.h"

namespace stator::data {

namespace {

// An item a line, or the elements of an answer to a Scan.
class JsonSink final : public ItemSink {
 public:
  JsonSink(OutputFile file, Format format) : file_{std::move(file)}, format_{format} {
    if (format_ == Format::Scan) file_.append("{\"Items\": [\n");
  }

  void add(unsigned /*segment*/, std::span<const Item> items) override {
    std::string text;
    PlainLosses losses;
    for (const Item item : items) append(text, item, losses);
    const std::lock_guard lock(mutex_);
    // The comma of a Scan stands before each item.
    const bool begins = format_ == Format::Scan && count_ == 0 && !text.empty();
    file_.append(std::string_view(text).substr(begins ? 1 : 0));
    count_ += items.size();
    losses_.sets += losses.sets;
    losses_.binaries += losses.binaries;
  }

  std::string finish(std::string& notes) override {
    if (format_ == Format::Scan) {
      const std::string count = std::to_string(count_);
      file_.append("], \"Count\": " + count + ", \"ScannedCount\": " + count + "}\n");
    }
    if (losses_.sets + losses_.binaries != 0) {
      notes = counted(losses_.sets, "set") + " became arrays and " +
              counted(losses_.binaries, "binary value") +
              " strings of Base64: plain JSON has neither, --format dynamodb-json keeps them";
    }
    return file_.finish();
  }

 private:
  void append(std::string& text, Item item, PlainLosses& losses) const {
    if (format_ == Format::Json) {
      append_plain_item(text, item, losses);
    } else if (format_ == Format::Scan) {
      text += ',';
      append_item_json(text, item);
    } else {
      text += "{\"Item\":";
      append_item_json(text, item);
      text += '}';
    }
    text += '\n';
  }

  std::mutex mutex_;
  OutputFile file_;          // guarded by mutex_
  std::uint64_t count_ = 0;  // guarded by mutex_
  PlainLosses losses_;       // guarded by mutex_
  const Format format_;
};

}  // namespace

tl::expected<std::unique_ptr<ItemSink>, std::string> make_sink(const SinkOptions& options,
                                                               const TableInfo& table) {
  if (options.format == Format::Csv) return make_csv_sink(options, table);
  if (options.format == Format::Export) return make_export_sink(options, table);
  auto file = OutputFile::create(options.path);
  if (!file) return tl::unexpected(file.error());
  return std::unique_ptr<ItemSink>(std::make_unique<JsonSink>(*std::move(file), options.format));
}

}  // namespace stator::data

#include "server/data/formats/item_sink.h"

#include <mutex>
#include <utility>

#include "server/data/formats/export_folder.h"
#include "server/data/formats/output_file.h"
#include "server/data/transfer/ion_text.h"
#include "server/data/transfer/json_text.h"
#include "server/data/transfer/progress.h"

namespace stator::data {

namespace {

// Writes one item per line, in JSON or Ion, or as the Items of a Scan response.
class LineSink final : public ItemSink {
 public:
  LineSink(OutputFile file, Format format, std::vector<Spool> spools)
      : file_{std::move(file)}, spools_{std::move(spools)}, format_{format} {
    if (format_ == Format::Scan) file_.append("{\"Items\": [\n");
  }

  // Writes the first segment to the file at once; the others wait on the disk until that is
  // complete.
  std::string add(unsigned segment, std::span<const Item> items) override {
    std::string text;
    PlainLosses losses;
    for (const Item item : items) append(text, item, losses);
    {
      const std::lock_guard lock(mutex_);
      count_ += items.size();
      losses_.sets += losses.sets;
      losses_.binaries += losses.binaries;
    }
    if (segment == 0) return put(text) ? std::string() : file_.error();
    Spool& spool = spools_[segment - 1];
    return spool.append(text) ? std::string() : spool.error();
  }

  std::string finish(std::string& notes) override {
    for (Spool& spool : spools_) {
      auto waiting = spool.read();
      if (!waiting) return waiting.error();
      for (auto text = waiting->take_block(); !text.empty(); text = waiting->take_block())
        if (!put(text)) return file_.finish();
      if (!waiting->error().empty()) return waiting->error();
    }
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
  bool put(std::string_view text) {
    // Each item has a comma before it, except the first of a Scan.
    if (format_ == Format::Scan && !has_begun_ && !text.empty()) text.remove_prefix(1);
    has_begun_ = has_begun_ || !text.empty();
    return file_.append(text);
  }

  void append(std::string& text, Item item, PlainLosses& losses) const {
    if (format_ == Format::Json) {
      append_plain_item(text, item, losses);
    } else if (format_ == Format::Scan) {
      text += ',';
      append_item_json(text, item);
    } else if (format_ == Format::Ion) {
      append_ion_line(text, item);
    } else {
      append_item_line(text, item);
    }
    text += '\n';
  }

  OutputFile file_;
  bool has_begun_ = false;     // the first item is in the file
  std::vector<Spool> spools_;  // for segments after the first
  std::mutex mutex_;
  std::uint64_t count_ = 0;  // guarded by mutex_
  PlainLosses losses_;       // guarded by mutex_
  const Format format_;
};

}  // namespace

tl::expected<std::unique_ptr<ItemSink>, std::string> make_sink(const SinkOptions& options,
                                                               const TableInfo& table) {
  if (options.format == Format::Csv) return make_csv_sink(options, table);
  if (options.format == Format::Export) return make_export_sink(options, table);
  auto file = OutputFile::create(options.path, options.packing);
  if (!file) return tl::unexpected(file.error());
  auto spools = make_spools(options, options.segments - 1);
  if (!spools) return tl::unexpected(std::move(spools).error());
  return std::unique_ptr<ItemSink>(
      std::make_unique<LineSink>(*std::move(file), options.format, *std::move(spools)));
}

tl::expected<std::vector<Spool>, std::string> make_spools(const SinkOptions& options,
                                                          unsigned count) {
  std::vector<Spool> spools;
  for (unsigned i = 0; i < count; ++i) {
    auto spool = Spool::create(options.spool_folder);
    if (!spool) return tl::unexpected(std::move(spool).error());
    spools.push_back(*std::move(spool));
  }
  return spools;
}

}  // namespace stator::data

#include "server/cli/output/item_output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "server/cli/output/item_table.h"
#include "server/data/data_flags.h"
#include "server/data/formats/item_sink.h"
#include "server/data/transfer/json_text.h"
#include "server/log/say.h"

namespace stator::client {

namespace {

constexpr std::size_t kWidthOtherwise = 80;

// Columns of the terminal; empty if stdout is none.
std::optional<std::size_t> terminal_width() {
  if (::isatty(STDOUT_FILENO) == 0) return std::nullopt;
  winsize size{};
  const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : kWidthOtherwise;
}

class TableOutput final : public ItemOutput {
 public:
  TableOutput(std::vector<std::string> leading, std::optional<std::size_t> width)
      : text_{std::move(leading), width} {}

  Output add(std::span<const Item> items) override { return write_all(text_.page(items)); }

  Output finish() override {
    if (const std::size_t hidden = text_.hidden_columns(); hidden != 0) {
      complain(std::to_string(hidden) + (hidden == 1 ? " column has" : " columns have") +
               " no space here; --output jsonl shows everything");
    }
    return {};
  }

 private:
  ItemTable text_;
};

// JSON lines, with types or without, or one array.
class JsonOutput final : public ItemOutput {
 public:
  JsonOutput(std::vector<std::string> leading, const OutputOptions& options)
      : leading_{std::move(leading)},
        is_typed_{options.format == OutputFormat::DynamodbJson},
        is_array_{options.format == OutputFormat::Json && !options.is_one_item} {}

  Output add(std::span<const Item> items) override {
    std::string text;
    for (const Item item : items) {
      if (is_array_) text += has_items_ ? ",\n" : "[\n";
      has_items_ = true;
      const std::vector<Member> members = in_order(item, leading_);
      if (is_typed_) {
        append_item_json(text, members);
      } else {
        data::append_plain_item(text, members, losses_);
      }
      if (!is_array_) text += '\n';
    }
    return write_all(text);
  }

  Output finish() override {
    if (!is_array_) return {};
    return write_all(has_items_ ? "\n]\n" : "[]\n");
  }

 private:
  const std::vector<std::string> leading_;
  const bool is_typed_;
  const bool is_array_;
  bool has_items_ = false;
  data::PlainLosses losses_;  // what plain JSON has no type for shows as it can
};

// As `stator export` writes it, whose columns wait for the last item.
class CsvOutput final : public ItemOutput {
 public:
  explicit CsvOutput(std::unique_ptr<data::ItemSink> sink) : sink_{std::move(sink)} {}

  Output add(std::span<const Item> items) override {
    if (!has_reader()) return tl::unexpected(OutputEnd{});
    return outcome_of(sink_->add(0, items));
  }
  Output finish() override {
    std::string notes;
    return outcome_of(sink_->finish(notes));
  }

 private:
  static Output outcome_of(std::string problem) {
    if (problem.empty()) return {};
    return tl::unexpected(OutputEnd{has_reader() ? std::move(problem) : std::string{}});
  }

  std::unique_ptr<data::ItemSink> sink_;
};

}  // namespace

tl::expected<std::unique_ptr<ItemOutput>, std::string> make_output(const OutputOptions& options,
                                                                   const data::TableInfo& table) {
  begin_output();
  const auto width = terminal_width();
  OutputOptions chosen = options;
  if (chosen.format == OutputFormat::Auto)
    chosen.format = width ? OutputFormat::Table : OutputFormat::JsonLines;
  if (chosen.format == OutputFormat::Table) {
    return std::make_unique<TableOutput>(table.keys,
                                         chosen.is_full ? std::optional<std::size_t>{} : width);
  }
  if (chosen.format != OutputFormat::Csv) return std::make_unique<JsonOutput>(table.keys, chosen);
  data::SinkOptions sink;
  sink.path = "-";
  sink.format = data::Format::Csv;
  sink.spool_folder = data::spool_folder_of(sink.path);
  auto made = data::make_sink(sink, table);
  if (!made) return tl::unexpected(std::move(made).error());
  return std::make_unique<CsvOutput>(*std::move(made));
}

std::vector<Member> in_order(Item item, std::span<const std::string> leading) {
  std::vector<Member> members{item.begin(), item.end()};
  auto place = members.begin();
  for (const std::string& name : leading) {
    const auto found = std::find_if(place, members.end(),
                                    [&name](const Member& member) { return member.name == name; });
    if (found == members.end()) continue;
    std::rotate(place, found, found + 1);
    ++place;
  }
  return members;
}

}  // namespace stator::client

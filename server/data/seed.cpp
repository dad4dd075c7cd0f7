#include "server/data/seed.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "protocol/json/json_writer.h"
#include "server/data/formats/input_file.h"
#include "server/data/import_command.h"
#include "server/data/transfer/interrupt.h"
#include "server/data/transfer/json_text.h"
#include "server/data/transfer/table_info.h"
#include "server/data/transfer/table_schema.h"
#include "server/log/say.h"

namespace stator::data {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTableEnding = ".table.json";

bool complain(const std::string& line) {
  stator::complain("--seed: " + line);
  return false;
}

struct SeedTable {
  std::string name;
  fs::path schema;
  std::vector<std::string> items;
};

// The files of the folder, sorted by name so that every start does the same.
class Folder {
 public:
  // Returns an error if the folder is unreadable or a file in it belongs to no table; empty if
  // none.
  std::string read(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> paths;
    for (auto entry = fs::directory_iterator(folder, error);
         !error && entry != fs::directory_iterator(); entry.increment(error))
      paths.push_back(entry->path());
    if (error) return folder.string() + ": " + error.message();
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) {
      const std::string name = path.filename().string();
      if (name.ends_with(kTableEnding))
        tables_.push_back({name.substr(0, name.size() - kTableEnding.size()), path, {}});
    }
    for (const fs::path& path : paths) {
      const std::string name = path.filename().string();
      if (name.ends_with(kTableEnding) || name.starts_with('.')) continue;
      SeedTable* const table = owner_of(name);
      if (table == nullptr)
        return path.string() + ": there is no NAME.table.json to whose table it belongs";
      table->items.push_back(path.string());
    }
    return {};
  }

  const std::vector<SeedTable>& tables() const { return tables_; }

 private:
  // Table names may contain points, so the longest match wins.
  SeedTable* owner_of(const std::string& file) {
    SeedTable* owner = nullptr;
    for (SeedTable& table : tables_) {
      const bool fits = file == table.name || file.starts_with(table.name + ".");
      if (fits && (owner == nullptr || owner->name.size() < table.name.size())) owner = &table;
    }
    return owner;
  }

  std::vector<SeedTable> tables_;
};

// Makes one table with its items, or removes it again. A kill may end this anywhere, so the table
// has a tag until it is complete. The tag survives, or is lost in a power failure, as the items
// are.
class TableLoad {
 public:
  TableLoad(DynamodbClient& client, const SeedTable& table) : client_{client}, table_{table} {}

  // Returns whether the table is complete; reports the reason if it is not.
  bool run() {
    const auto schema = read_schema_file();
    if (!schema) return complain(schema.error());
    const auto there = describe_table(client_, table_.name);
    if (!there && there.error().code != kNoTable) return complain(there.error().text());
    if (there) {
      arn_ = there->arn;
      const auto unfinished = is_unfinished();
      if (!unfinished) return complain(unfinished.error().text());
      if (!*unfinished) return true;
      complain(named() +
               " is incomplete because a start ended while loading it: it is loaded again");
      if (const auto gone = remove_table(client_, table_.name); !gone)
        return complain(gone.error().text());
    }
    return make(*schema);
  }

  bool was_made() const { return was_made_; }

 private:
  std::string named() const { return "table '" + table_.name + "'"; }

  tl::expected<TableSchema, std::string> read_schema_file() const {
    auto text = read_file(table_.schema.string());
    if (!text) return tl::unexpected(std::move(text).error());
    auto schema = parse_schema(*std::move(text), table_.name);
    const auto wrong = [this](const std::string& why) {
      return tl::unexpected(table_.schema.string() + ": " + why);
    };
    if (!schema) return wrong(schema.error());
    auto body = with_tag(schema->create_body, kSeedingTag);
    if (!body) return wrong(body.error() + ", and --seed needs one while it loads");
    schema->create_body = *std::move(body);
    return schema;
  }

  tl::expected<bool, Failure> is_unfinished() {
    bool bears_tag = false;
    const auto read = each_tag(client_, arn_, [&bears_tag](const JsonNode& tag) {
      bears_tag = bears_tag || text_in(tag, "Key") == kSeedingTag;
    });
    if (!read) return tl::unexpected(read.error());
    return bears_tag;
  }

  bool make(const TableSchema& schema) {
    const auto made = client_.call("CreateTable", schema.create_body);
    if (!made) return complain(table_.schema.string() + ": " + made.error().text());
    if (fill(schema)) {
      was_made_ = true;
      return true;
    }
    if (!is_interrupted() && remove_table(client_, table_.name))
      return complain(named() + " is removed again");
    return complain(named() + " stays incomplete; the next start with --seed loads it again");
  }

  bool fill(const TableSchema& schema) {
    const auto said = [this](const Failure& failure) {
      return complain(table_.schema.string() + ": " + failure.text());
    };
    // Waits as long as --control-plane-delay takes.
    if (const auto active = wait_active(client_, table_.name, std::chrono::milliseconds::max());
        !active)
      return said(active.error());
    if (!table_.items.empty()) {
      ImportOptions options;
      options.endpoint = client_.endpoint();
      options.table = table_.name;
      options.files = table_.items;
      options.reading.may_be_empty = true;  // `stator export` of a table without items
      if (!import_files(std::move(options))) return false;
    }
    const auto ttl = enable_ttl(client_, table_.name, schema.ttl_attribute);
    if (!ttl) return said(ttl.error());
    const auto info = describe_table(client_, table_.name);
    if (!info) return said(info.error());
    std::string body = "{\"ResourceArn\":";
    append_json_string(body, info->arn);
    body.append(",\"TagKeys\":[\"").append(kSeedingTag).append("\"]}");
    const auto done = client_.call("UntagResource", body);
    return done ? true : said(done.error());
  }

  DynamodbClient& client_;
  const SeedTable& table_;
  std::string arn_;
  bool was_made_ = false;
};

}  // namespace

bool seed(const Endpoint& endpoint, const fs::path& folder) {
  Folder content;
  if (const std::string problem = content.read(folder); !problem.empty()) return complain(problem);
  DynamodbClient client{endpoint};
  std::string whole;
  for (const SeedTable& table : content.tables()) {
    TableLoad load{client, table};
    if (!load.run()) {
      if (!whole.empty()) complain("complete, and persisted with --db-path: " + whole);
      return false;
    }
    if (load.was_made()) whole += (whole.empty() ? "" : ", ") + table.name;
  }
  return true;
}

}  // namespace stator::data

#include "server/data/seed.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "protocol/json_writer.h"
#include "server/data/import_command.h"
#include "server/data/interrupt.h"
#include "server/data/json_text.h"
#include "server/data/table_info.h"
#include "server/data/table_schema.h"

namespace stator::data {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTableEnding = ".table.json";

bool complain(const std::string& line) {
  std::fputs(("stator: --seed: " + line + "\n").c_str(), stderr);
  return false;
}

struct SeedTable {
  std::string name;
  fs::path schema;
  std::vector<std::string> items;
};

// What stands in the folder, by name, so that every start is the same.
class Folder {
 public:
  // Empty when it can be read and everything in it belongs to a table.
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
  // Names may hold points: the longest that fits.
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

// Makes one table with its items, or leaves none. A kill ends it anywhere, so the table bears a tag
// until it is whole: that is kept, or lost with a disk's power, as the items are.
class TableLoad {
 public:
  TableLoad(DynamodbClient& client, const SeedTable& table) : client_{client}, table_{table} {}

  // Whether the table is there and whole; if it is not, why is told.
  bool run() {
    const auto schema = read_schema_file();
    if (!schema) return complain(table_.schema.string() + ": " + schema.error());
    const auto there = describe_table(client_, table_.name);
    if (!there && there.error().code != kNoTable) return complain(there.error().text());
    if (there) {
      arn_ = there->arn;
      const auto unfinished = is_unfinished();
      if (!unfinished) return complain(unfinished.error().text());
      if (!*unfinished) return true;
      complain(named() + " is not whole, a start ended while it was loaded: it is made anew");
      if (const auto gone = remove_table(client_, table_.name); !gone)
        return complain(gone.error().text());
    }
    return make(*schema);
  }

  bool was_made() const { return was_made_; }

 private:
  std::string named() const { return "table '" + table_.name + "'"; }

  tl::expected<TableSchema, std::string> read_schema_file() const {
    std::ifstream file{table_.schema, std::ios::binary};
    auto schema = parse_schema({std::istreambuf_iterator<char>(file), {}}, table_.name);
    if (!schema) return schema;
    auto body = with_tag(schema->create_body, kSeedingTag);
    if (!body) return tl::unexpected(body.error() + ", and --seed needs one while it loads");
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
    return complain(named() + " stays as far as it came; the next start with --seed makes it anew");
  }

  bool fill(const TableSchema& schema) {
    const auto said = [this](const Failure& failure) {
      return complain(table_.schema.string() + ": " + failure.text());
    };
    // As long as --control-plane-delay says.
    if (const auto active = wait_active(client_, table_.name, std::chrono::milliseconds::max());
        !active)
      return said(active.error());
    if (!table_.items.empty()) {
      ImportOptions options;
      options.endpoint = client_.endpoint();
      options.table = table_.name;
      options.files = table_.items;
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
      if (!whole.empty()) complain("whole, and kept where data is: " + whole);
      return false;
    }
    if (load.was_made()) whole += (whole.empty() ? "" : ", ") + table.name;
  }
  return true;
}

}  // namespace stator::data

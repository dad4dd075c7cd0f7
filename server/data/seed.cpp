#include "server/data/seed.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "server/data/import_command.h"
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

bool seed_table(DynamodbClient& client, const SeedTable& table) {
  std::ifstream file{table.schema, std::ios::binary};
  const auto schema = parse_schema({std::istreambuf_iterator<char>(file), {}}, table.name);
  if (!schema) return complain(table.schema.string() + ": " + schema.error());
  const auto there = client.call("DescribeTable", table_body(table.name));
  if (there) return true;
  if (there.error().code != kNoTable) return complain(there.error().text());
  const auto made = make_table(client, table.name, *schema);
  if (!made) return complain(table.schema.string() + ": " + made.error().text());
  if (!table.items.empty()) {
    ImportOptions options;
    options.endpoint = client.endpoint();
    options.table = table.name;
    options.files = table.items;
    if (!import_files(std::move(options))) return false;
  }
  const auto ttl = enable_ttl(client, table.name, schema->ttl_attribute);
  return ttl || complain(table.schema.string() + ": " + ttl.error().text());
}

}  // namespace

bool seed(const Endpoint& endpoint, const fs::path& folder) {
  Folder content;
  if (const std::string problem = content.read(folder); !problem.empty()) return complain(problem);
  DynamodbClient client{endpoint};
  for (const SeedTable& table : content.tables())
    if (!seed_table(client, table)) return false;
  return true;
}

}  // namespace stator::data

#include "server/templates/seeding/seed.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "protocol/json/json_writer.h"
#include "server/data/import_command.h"
#include "server/data/transfer/interrupt.h"
#include "server/data/transfer/json_text.h"
#include "server/data/transfer/table_info.h"
#include "server/data/transfer/table_schema.h"
#include "server/log/say.h"
#include "server/templates/plan/carry_out.h"
#include "server/templates/plan/sample_items.h"
#include "server/templates/plan/table_changes.h"
#include "server/templates/plan/update_steps.h"
#include "server/templates/seeding/seed_files.h"

namespace stator::templates {

namespace {

using data::DynamodbClient;
using data::Failure;

bool report(const std::string& line) {
  complain("--seed: " + line);
  return false;
}

// Makes one table with its items, or removes it again. A kill may end this anywhere, so the table
// has a tag until it is complete. The tag survives, or is lost in a power failure, as the items
// are.
class TableLoad {
 public:
  TableLoad(DynamodbClient& client, const SeedTable& seed) : client_{client}, seed_{seed} {}

  // Returns whether the table is complete; reports the reason if it is not.
  bool run() {
    const auto there = data::describe_table(client_, name());
    if (!there && there.error().code != data::kNoTable) return report(there.error().text());
    if (there) {
      arn_ = there->arn;
      const auto unfinished = is_unfinished();
      if (!unfinished) return report(unfinished.error().text());
      if (!*unfinished) return compare();
      report(named() + " is incomplete because a start ended while loading it: it is loaded again");
      if (const auto gone = data::remove_table(client_, name()); !gone)
        return report(gone.error().text());
    }
    return make();
  }

  bool was_made() const { return was_made_; }

 private:
  const std::string& name() const { return seed_.table.name; }
  const std::string& file() const { return seed_.table.place.file; }
  std::string named() const { return "table '" + name() + "'"; }

  tl::expected<bool, Failure> is_unfinished() {
    bool bears_tag = false;
    const auto read =
        data::each_tag(data::asking(client_), arn_, [&bears_tag](const JsonNode& tag) {
          bears_tag = bears_tag || data::text_in(tag, "Key") == data::kSeedingTag;
        });
    if (!read) return tl::unexpected(read.error());
    return bears_tag;
  }

  // Reports a template that has changed since its table was made.
  bool compare() {
    if (!seed_.is_of_template) return true;
    const auto there = read_state(client_, name(), questions_for(seed_.shape));
    if (!there) return report(there.error().text());
    if (!*there || changes_of(seed_.shape, **there).empty()) return true;
    report(named() + " is not as in " + file() + ", and stays; stator apply changes it");
    return true;
  }

  bool make() {
    // read_seed() has found room for the tag.
    const auto body = data::with_tag(seed_.table.create_body, data::kSeedingTag);
    const auto made = client_.call("CreateTable", body.value_or(seed_.table.create_body));
    if (!made) return report(file() + ": " + made.error().text());
    if (fill()) {
      was_made_ = true;
      return true;
    }
    if (!data::is_interrupted() && data::remove_table(client_, name()))
      return report(named() + " is removed again");
    return report(named() + " stays incomplete; the next start with --seed loads it again");
  }

  bool fill() {
    const auto said = [this](const Failure& failure) {
      return report(file() + ": " + failure.text());
    };
    // Waits as long as --control-plane-delay takes.
    if (const auto active = data::wait_active(client_, name(), std::chrono::milliseconds::max());
        !active)
      return said(active.error());
    const auto info = data::describe_table(client_, name());
    if (!info) return said(info.error());
    if (!seed_.table.items.empty()) {
      const auto put = put_items(client_.endpoint(), name(), *info, seed_.table.items);
      if (!put) return said(put.error());
    }
    if (!seed_.files.empty() && !import_items()) return false;
    if (const auto done = finish_new(client_, seed_.shape); !done) return said(done.error());
    std::string body = "{\"ResourceArn\":";
    append_json_string(body, info->arn);
    body.append(",\"TagKeys\":[\"").append(data::kSeedingTag).append("\"]}");
    const auto done = client_.call("UntagResource", body);
    return done ? true : said(done.error());
  }

  bool import_items() const {
    data::ImportOptions options;
    options.endpoint = client_.endpoint();
    options.table = name();
    options.files = seed_.files;
    options.reading.may_be_empty = true;  // `stator export` of a table without items
    return data::import_files(std::move(options));
  }

  DynamodbClient& client_;
  const SeedTable& seed_;
  std::string arn_;
  bool was_made_ = false;
};

// All or nothing: those of templates go, because a part of a template is no state that anything
// was written for.
void undo(DynamodbClient& client, const std::vector<const SeedTable*>& made) {
  std::string whole;
  for (const SeedTable* const seed : made) {
    const std::string& name = seed->table.name;
    if (!seed->is_of_template) {
      whole += (whole.empty() ? "" : ", ") + name;
    } else if (!data::is_interrupted() && data::remove_table(client, name)) {
      report("table '" + name + "' is removed again");
    } else {
      report("table '" + name + "' stays");
    }
  }
  if (!whole.empty()) report("complete, and persisted with --db-path: " + whole);
}

}  // namespace

bool seed(const data::Endpoint& endpoint, const std::filesystem::path& path) {
  ReadOptions options;
  options.region = endpoint.region;
  const auto tables = read_seed(path, options);
  if (!tables) {
    for (const std::string& problem : tables.error()) report(problem);
    return false;
  }
  DynamodbClient client{endpoint};
  std::vector<const SeedTable*> made;
  for (const SeedTable& table : *tables) {
    TableLoad load{client, table};
    if (!load.run()) {
      undo(client, made);
      return false;
    }
    if (load.was_made()) made.push_back(&table);
  }
  return true;
}

}  // namespace stator::templates

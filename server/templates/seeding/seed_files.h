// What --seed loads: the tables that its files ask for, with the files that have their items.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "server/templates/plan/table_shape.h"
#include "server/templates/read_templates.h"

namespace stator::templates {

struct SeedTable {
  DesiredTable table;  // place.file: the file that asks for it
  TableShape shape;
  std::vector<std::string> files = {};  // with items
  bool is_of_template = false;          // or of a file NAME.table.json
};

// Reads everything that says what tables are. `path` is a template, or a folder with templates and
// files NAME.table.json; other files NAME.… there have items. Tables come in the same order each
// time, those of templates last. The errors are for people, at least one.
tl::expected<std::vector<SeedTable>, std::vector<std::string>> read_seed(
    const std::filesystem::path& path, const ReadOptions& options);

}  // namespace stator::templates

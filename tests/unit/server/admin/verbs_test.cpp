// The table of verbs and the page that describes them say the same.
#include "server/admin/verbs.h"

#include <fstream>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "server/dispatch/admin.h"
#include "tests/cases/source_folder.h"

namespace stator {
namespace {

// "POST /_stator/clock" of each path and method in the description, whose paths are indented by two
// and methods by four.
std::set<std::string> described_verbs() {
  std::ifstream file(test::source_path("docs/admin-openapi.yaml"));
  std::set<std::string> verbs;
  std::string path;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("  /")) path = line.substr(2, line.size() - 3);
    if (line.starts_with("components:")) path.clear();
    if (path.empty()) continue;
    if (line == "    get:") verbs.insert("GET " + path);
    if (line == "    post:") verbs.insert("POST " + path);
  }
  return verbs;
}

TEST_CASE("admin: the description has each verb and no other", "[server]") {
  std::set<std::string> built;
  for (const AdminVerb& verb : admin_verbs()) {
    CHECK((verb.method == Method::Get || verb.method == Method::Post));
    built.insert((verb.method == Method::Get ? "GET " : "POST ") + std::string(verb.path));
  }
  CHECK(built.size() == admin_verbs().size());
  CHECK(described_verbs() == built);
}

}  // namespace
}  // namespace stator

#include "server/templates/sources/template_folder.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "server/templates/read_templates.h"
#include "server/templates/tree/forest.h"

namespace stator::templates {
namespace {

namespace fs = std::filesystem;

// CDK's nested assemblies, of stages and their stages.
constexpr int kAssemblyDepthMax = 8;

bool is_yaml_or_json(const std::string& name) {
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

// A file of this name is meant to be a template, so its mistakes are shown.
bool is_template_name(const std::string& name) {
  return name.starts_with("template.") || name.starts_with("serverless.") ||
         name.ends_with(".template") || name.find(".template.") != std::string::npos ||
         name.ends_with(".table.json");
}

struct Listing {
  std::vector<std::string> synthesised;  // *.template.json
  std::vector<std::string> others;
};

void list_folder(Listing& listing, const fs::path& folder, int depth, std::error_code& error) {
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    if (at->is_directory(ignored)) {
      if (name.starts_with("assembly-") && depth < kAssemblyDepthMax)
        list_folder(listing, at->path(), depth + 1, error);
    } else if (name.ends_with(".template.json")) {
      listing.synthesised.push_back(at->path().string());
    } else if (depth == 0 && (is_yaml_or_json(name) || is_template_name(name))) {
      listing.others.push_back(at->path().string());
    }
  }
}

}  // namespace

tl::expected<std::vector<std::string>, Mistake> template_files(const std::string& path) {
  std::error_code error;
  if (path == "-" || !fs::is_directory(path, error)) return std::vector{path};
  Listing listing;
  list_folder(listing, path, 0, error);
  if (error) return tl::unexpected(Mistake{{path}, compose({"cannot be read: ", error.message()})});
  std::vector<std::string> files = std::move(listing.synthesised);
  if (files.empty()) {
    for (const std::string& file : listing.others)
      if (is_template_name(fs::path(file).filename().string()) || is_template_file(file))
        files.push_back(file);
  }
  if (files.empty()) return tl::unexpected(Mistake{{path}, "the folder has no templates"});
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace stator::templates

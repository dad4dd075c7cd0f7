// The templates of a folder.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "server/templates/desired_table.h"

namespace stator::templates {

// The file itself; of a folder its templates, by name: all *.template.json with those of nested
// stages of CDK if there are any, otherwise each file of YAML or JSON that is a template by its
// content, or should be one by its name. The mistake names a folder without templates.
tl::expected<std::vector<std::string>, Mistake> template_files(const std::string& path);

}  // namespace stator::templates

// Variables of a serverless.yml: ${self:…}, ${opt:…}, ${env:…}, ${sls:stage}, ${param:…},
// ${aws:region}, ${file(…):…} and ${strToBool(…)}, with defaults and in each other.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "server/templates/intrinsics/evaluator.h"
#include "server/templates/read_templates.h"
#include "server/templates/tree/forest.h"

namespace stator::templates {

class ServerlessVariables {
 public:
  // `root` is the file, `folder` its folder, from which ${file(…)} is read. All must outlive this.
  ServerlessVariables(Forest& forest, const Node& root, const ReadOptions& options,
                      std::string folder)
      : forest_(forest), root_(root), options_(options), folder_(std::move(folder)) {}
  ServerlessVariables(const ServerlessVariables&) = delete;
  ServerlessVariables& operator=(const ServerlessVariables&) = delete;

  // What a scalar stands for; itself without variables. A text that is one variable may become a
  // list or a map, whose own scalars are not expanded. `${AWS::Region}` and `${Name}`, which
  // Fn::Sub has, stay. A mistake is a variable without a value, one that only Serverless can
  // resolve, and one that depends on itself.
  Resolution expand(const Node& scalar);

  // The member at a path such as custom.table.name, expanded; empty if there is none.
  tl::expected<std::optional<Node>, Mistake> at_path(const Node& from, std::string_view path);

  tl::expected<std::string, Mistake> stage();

 private:
  using Found = tl::expected<std::optional<Node>, Mistake>;

  tl::unexpected<Mistake> fail(Spot spot, std::string text) const {
    return tl::unexpected(forest_.mistake(spot, std::move(text)));
  }
  Resolution expand_within(const Node& scalar);
  Resolution evaluate(std::string_view content, Spot spot);
  Found evaluate_source(std::string_view source, Spot spot);
  Found look_up(std::string_view type, std::string_view argument, std::string_view address,
                Spot spot);
  Found self(std::string_view address);
  Found param(std::string_view name, Spot spot);
  Found file(std::string_view path, std::string_view address, Spot spot);
  Found environment(std::string_view name, Spot spot);
  Found text_found(const std::optional<std::string>& text, Spot spot);
  std::optional<std::string> option(std::string_view name) const;

  Forest& forest_;
  const Node& root_;
  const ReadOptions& options_;
  const std::string folder_;
  std::map<std::string, Node, std::less<>> files_;
  std::size_t depth_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace stator::templates

// A table of Terraform's provider for AWS, and of Pulumi's, which is made from it.
#pragma once

#include <string>
#include <string_view>

#include "server/templates/drafts/table_draft.h"

namespace stator::templates {

// Members have Terraform's names: hash_key. With `is_camel` they are looked up as Pulumi has them:
// hashKey, and lists in the plural.
struct ProviderValues {
  const Node& values;
  const Node* unknown = nullptr;  // members that are known after an apply only are true here
  bool is_camel = false;

  const Node* find(std::string_view name) const;
  // A block that exists once is a list of one in Terraform.
  const Node* block(std::string_view name) const;
  ProviderValues inside(const Node& block) const { return {block, nullptr, is_camel}; }
  std::string_view text(std::string_view name) const;
  bool is_true(std::string_view name) const;
  bool is_unknown(std::string_view name) const;
};

// `address` is the table's logical id.
void read_provider_table(Reading& reading, Forest& forest, std::string_view address, Spot spot,
                         const ProviderValues& values);

// The item of an aws_dynamodb_table_item, put into its table, which must be in the same file.
// `first` is the first table of the file.
void read_provider_item(Reading& reading, const Forest& forest, std::size_t first,
                        std::string_view address, Spot spot, const ProviderValues& values);

// An aws_dynamodb_kinesis_streaming_destination, put into its table if that is in the same file.
void read_provider_destination(Reading& reading, std::size_t first, const ProviderValues& values);

}  // namespace stator::templates

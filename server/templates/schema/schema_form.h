// The formats of `stator schema` and of GET /_stator/tables/NAME/schema.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "server/options/flag_words.h"
#include "server/templates/plan/table_shape.h"

namespace stator::templates {

enum class SchemaForm : std::uint8_t { CloudFormation, Terraform, CommandLine, Workbench, Stator };

inline constexpr Word<SchemaForm> kFormWords[] = {{"cloudformation", SchemaForm::CloudFormation},
                                                  {"terraform", SchemaForm::Terraform},
                                                  {"cli", SchemaForm::CommandLine},
                                                  {"workbench", SchemaForm::Workbench},
                                                  {"stator", SchemaForm::Stator}};

// The error is for people: the format cannot say what a table has.
tl::expected<std::string, std::string> schema_text(SchemaForm form,
                                                   const std::vector<TableShape>& tables);

// What the reader of the text is to know about the table's part of it, for people; empty: nothing.
std::string schema_note(SchemaForm form, const TableShape& table);

}  // namespace stator::templates

// All tools, in the order of tools/list. Each is in a file of its own.
#pragma once

#include <span>
#include <string>

#include "server/cli/mcp/answers/tool.h"

namespace stator::mcp {

Tool overview_tool();
Tool call_tool();
Tool query_tool();
Tool sql_tool();
Tool put_items_tool();
Tool why_tool();
Tool dry_run_tool();
Tool capacity_tool();
Tool clock_tool();
Tool mark_tool();
Tool fault_tool();
Tool schema_tool();

std::span<const Tool> all_tools();

// The JSON Schema of a tool's arguments.
std::string arguments_schema(const Tool& tool);
// The tool as tools/list describes it.
std::string definition_of(const Tool& tool);

}  // namespace stator::mcp

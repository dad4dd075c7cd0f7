// Reads a line of Amazon Ion as exports to S3 have them and imports take them
// (conformance/observed/exports.md): the part of Ion's text that items need, and nothing else.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace stator::data {

// Reads `$ion_1_0 {Item:{…}}`, or `{Record:{Keys:{…},NewImage:{…}}}` of an incremental export; the
// version may be absent. Appends the same in DynamoDB JSON, {"Item":{"pk":{"S":"a"}}}, or of a
// record {"Keys":{…},"NewImage":{…}}. Digits of numbers are copied, so nothing is rounded. Checks
// Ion's grammar; limits of values, such as 38 digits, are left to item_of(). Nesting is bounded.
// The error says for people what is wrong with the line.
tl::expected<void, std::string> append_ion_line_json(std::string& out, std::string_view line);

// Reads a line of a bulk put into JSON as well: {Item:{…}}, and beside it ConditionExpression,
// ExpressionAttributeNames and ExpressionAttributeValues if the item has a condition.
tl::expected<void, std::string> append_ion_put_json(std::string& out, std::string_view line);

// Whether the line has a version of Ion and nothing else.
bool is_ion_version(std::string_view line);

}  // namespace stator::data

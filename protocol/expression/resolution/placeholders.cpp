#include "protocol/expression/resolution/placeholders.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "protocol/errors/rule.h"
#include "protocol/shapes/attribute_value.h"
#include "protocol/values/item_size.h"

namespace stator::expr {
namespace {

constexpr std::string_view kNames = "ExpressionAttributeNames";
constexpr std::string_view kValues = "ExpressionAttributeValues";
constexpr std::string_view kTooLarge = " exceeds max size";

bool is_placeholder_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_placeholder(std::string_view key, char mark) {
  return key.size() > 1 && key.front() == mark &&
         std::all_of(key.begin() + 1, key.end(), is_placeholder_character);
}

Error about(std::string_view member, std::string_view text, Wording wording) {
  return wording.enveloped(Error::validation(std::string(member).append(text)));
}

Error without_expressions(std::string_view member, std::string_view details, Wording wording) {
  return about(member, std::string(" can only be specified when using expressions").append(details),
               wording)
      .with_rule(Rule::ExpressionGiven, {member});
}

// The length comes before the characters. Only the text about names ends with it.
Result<void> check_key(std::string_view member, std::string_view key, char mark, Wording wording) {
  constexpr std::string_view kInvalidKey = " contains invalid key: ";
  if (key.size() > kPlaceholderNameBytesMax) {
    const std::string size = std::to_string(key.size());
    return about(member,
                 std::string(kInvalidKey)
                     .append("The expression attribute map contains a key that is too long;")
                     .append(mark == '#' ? " size of key: " + size : ""),
                 wording)
        .with_rule(Rule::PlaceholderSize, {member, size});
  }
  if (is_placeholder(key, mark)) return {};
  return about(member,
               std::string(kInvalidKey).append("Syntax error; key: \"").append(key).append("\""),
               wording)
      .with_rule(Rule::PlaceholderSyntax, {member, key});
}

// Checks that the map has members and all its keys are placeholders.
Result<void> check_keys(std::string_view member, const JsonNode& map, char mark, Wording wording) {
  if (map.members().empty()) {
    return about(member, " must not be empty", wording)
        .with_rule(Rule::PlaceholdersGiven, {member});
  }
  for (const JsonMember& entry : map.members()) {
    STATOR_CHECK(check_key(member, entry.name, mark, wording));
  }
  return {};
}

}  // namespace

Error invalid_value(std::string_view member, Error error, std::string_view key) {
  return std::move(error).with_place(key).within(
      std::string(member).append(" contains invalid value: "),
      std::string(" for key ").append(key));
}

Result<Placeholders> Placeholders::read(const JsonNode& body, Wording wording, Arena& arena,
                                        ExpressionCache* cache) {
  STATOR_TRY(Placeholders placeholders, read_names(body, wording, arena, cache));
  if (const JsonNode* values = body.find(kValues)) {
    STATOR_CHECK(placeholders.add_values(*values, wording, arena));
  }
  return placeholders;
}

Result<Placeholders> Placeholders::read_names(const JsonNode& body, Wording wording, Arena& arena,
                                              ExpressionCache* cache) {
  Placeholders placeholders;
  placeholders.cache_ = cache;
  if (const JsonNode* names = body.find(kNames)) {
    STATOR_CHECK(placeholders.add_names(*names, wording, arena));
  }
  return placeholders;
}

Result<void> Placeholders::check_wanted(const JsonNode& body, bool has_expression,
                                        std::string_view without_values, Wording wording) {
  if (!has_expression && body.find(kNames) != nullptr) {
    return without_expressions(kNames, {}, wording);
  }
  if (!without_values.empty() && body.find(kValues) != nullptr) {
    std::string details;
    if (wording.layer != Layer::Enveloped) details.append(": ").append(without_values);
    return without_expressions(kValues, details, wording);
  }
  return {};
}

Result<void> Placeholders::add_names(const JsonNode& names, Wording wording, Arena& arena) {
  STATOR_CHECK(check_keys(kNames, names, '#', wording));
  const auto entries = arena.allocate_array<Entry<std::string_view>>(names.members().size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const JsonMember& member = names.members()[i];
    if (auto checked = check_attribute_name(member.value.text()); !checked) {
      return wording.enveloped(invalid_value(kNames, std::move(checked).error(), member.name));
    }
    entries[i] = {member.name, member.value.text(), i, false};
    size_bytes_ += member.name.size() + member.value.text().size();
  }
  if (size_bytes_ > kPlaceholdersBytesMax) return about(kNames, kTooLarge, wording);
  names_ = sort_entries(entries);
  return {};
}

Result<void> Placeholders::add_values(const JsonNode& values, Wording wording, Arena& arena) {
  STATOR_CHECK(check_keys(kValues, values, ':', wording));
  const auto entries = arena.allocate_array<Entry<Value>>(values.members().size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const JsonMember& member = values.members()[i];
    // The old layer allows values that are only compared to be deeper than items.
    auto value =
        decode_value(member.value, wording, arena,
                     wording.is_new() ? limits::kValueDepthMax : limits::kComparedValueDepthMax);
    if (!value && wording.is_new()) return std::move(value).error();
    if (!value)
      return wording.enveloped(invalid_value(kValues, std::move(value).error(), member.name));
    entries[i] = {member.name, *value, i, false};
    size_bytes_ += member.name.size() + value_size_bytes(*value);
  }
  if (size_bytes_ > kPlaceholdersBytesMax) return about(kValues, kTooLarge, wording);
  values_ = sort_entries(entries);
  return {};
}

// Of equal keys the last one counts, as everywhere in a request.
template <class T>
Placeholders::Entries<T> Placeholders::sort_entries(Entries<T> entries) {
  std::sort(entries.begin(), entries.end(), [](const Entry<T>& a, const Entry<T>& b) {
    return a.key != b.key ? a.key < b.key : a.position < b.position;
  });
  std::size_t kept = 0;
  for (const Entry<T>& entry : entries) {
    if (kept > 0 && entries[kept - 1].key == entry.key) --kept;
    entries[kept++] = entry;
  }
  return entries.first(kept);
}

template <class T>
const T* Placeholders::find(Entries<T> entries, std::string_view key) {
  const auto found = std::lower_bound(
      entries.begin(), entries.end(), key,
      [](const Entry<T>& entry, std::string_view wanted) { return entry.key < wanted; });
  if (found == entries.end() || found->key != key) return nullptr;
  found->is_used = true;
  return &found->target;
}

const std::string_view* Placeholders::find_name(std::string_view placeholder) {
  return find(names_, placeholder);
}

const Value* Placeholders::find_value(std::string_view placeholder) {
  return find(values_, placeholder);
}

template <class T>
Result<void> Placeholders::check_used(Entries<T> entries, std::string_view member,
                                      Wording wording) {
  std::vector<const Entry<T>*> unused;
  for (const Entry<T>& entry : entries) {
    if (!entry.is_used) unused.push_back(&entry);
  }
  if (unused.empty()) return {};
  std::sort(unused.begin(), unused.end(),
            [](const Entry<T>* a, const Entry<T>* b) { return a->position < b->position; });
  std::string keys;
  for (const Entry<T>* entry : unused) keys.append(keys.empty() ? "{" : ", ").append(entry->key);
  keys.append("}");
  return about("Value provided in ",
               std::string(member).append(" unused in expressions: keys: ").append(keys), wording)
      .with_rule(Rule::PlaceholdersUsed, {member, keys});
}

Result<void> Placeholders::check_all_used(Wording wording) const {
  STATOR_CHECK(check_used(names_, kNames, wording));
  return check_used(values_, kValues, wording);
}

}  // namespace stator::expr

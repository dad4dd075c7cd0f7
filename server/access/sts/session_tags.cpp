#include "server/access/sts/session_tags.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "protocol/access/language/names.h"
#include "protocol/text/utf8.h"
#include "server/access/principals/identity_tags.h"

namespace stator::access {

namespace {

constexpr std::size_t kTagKeyCharsMax = 128;
constexpr std::size_t kTagValueCharsMax = 256;

// Whether tags may have it; beyond ASCII all of Unicode passes.
bool is_tag_text(std::string_view text) {
  return is_valid_utf8(text) && std::all_of(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) >= 0x80 || (is_name_char(c) && c != ',') ||
                  std::string_view(" :/").find(c) != std::string_view::npos;
         });
}

tl::unexpected<StsError> broken_tag(std::string_view text, std::string_view member,
                                    std::string_view length) {
  if (is_tag_text(text)) return broken_constraint(text, member, length);
  std::string rule("Member must satisfy regular expression pattern: ");
  rule.append("[\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]").append(member.ends_with("key") ? "+" : "*");
  return broken_constraint(text, member, rule);
}

tl::unexpected<StsError> too_many(std::size_t count, std::string_view member) {
  return broken_constraint(
      std::to_string(count), member,
      "Member must have length less than or equal to " + std::to_string(kSessionTagsMax));
}

Outcome<void> check_tags(const Tags& tags) {
  if (tags.size() > kSessionTagsMax) return too_many(tags.size(), "tags");
  Tags before;
  for (const auto& [key, value] : tags) {
    if (!is_tag_text(key) || key.empty() || utf8_length(key) > kTagKeyCharsMax)
      return broken_tag(key, "tags.member.key", "Member must have length from 1 to 128");
    if (!is_tag_text(value) || utf8_length(value) > kTagValueCharsMax)
      return broken_tag(value, "tags.member.value",
                        "Member must have length less than or equal to 256");
    if (find_tag(before, key) != before.end())
      return refused("Duplicate tag keys found. Please note that Tag keys are case insensitive.",
                     "InvalidParameterValue");
    before.emplace_back(key, value);
  }
  return {};
}

}  // namespace

Tags tags_in(const StsForm& form) {
  Tags tags;
  for (std::size_t i = 1; form.has(member_name("Tags", i, "Key")); ++i)
    tags.emplace_back(form.text(member_name("Tags", i, "Key")),
                      form.text(member_name("Tags", i, "Value")));
  return tags;
}

std::vector<std::string> transitive_keys_in(const StsForm& form) {
  std::vector<std::string> keys;
  for (std::size_t i = 1; form.has(member_name("TransitiveTagKeys", i)); ++i)
    keys.emplace_back(form.text(member_name("TransitiveTagKeys", i)));
  return keys;
}

Outcome<void> check_session_tags(const Tags& tags,
                                 const std::vector<std::string>& transitive_keys) {
  if (auto checked = check_tags(tags); !checked) return checked;
  if (transitive_keys.size() > kSessionTagsMax)
    return too_many(transitive_keys.size(), "transitiveTagKeys");
  // Else a tag of the role would go along to further roles, without their trust in its sender.
  const bool are_sent =
      std::all_of(transitive_keys.begin(), transitive_keys.end(),
                  [&tags](const std::string& key) { return find_tag(tags, key) != tags.end(); });
  if (are_sent) return {};
  return refused("The specified transitive tag key must be included in the requested tags.");
}

void add_request_tags(RequestContext& context, const Tags& tags) {
  std::vector<std::string> keys;
  for (const auto& [name, value] : tags) {
    std::string key("aws:RequestTag/");
    context.set(key.append(name), value);
    keys.push_back(name);
  }
  if (!keys.empty()) context.set_list("aws:TagKeys", std::move(keys));
}

void inherit_tags(const Identity& caller, SessionDraft& draft) {
  for (const std::string& name : caller.transitive_tags) {
    const auto sent = find_tag(caller.tags, name);
    if (sent == caller.tags.end()) continue;
    const auto own = find_tag(draft.tags, name);
    if (own != draft.tags.end()) draft.tags.erase(own);
    draft.tags.push_back(*sent);
    const bool is_listed =
        std::any_of(draft.transitive_tags.begin(), draft.transitive_tags.end(),
                    [&name](const std::string& listed) { return is_same_key(listed, name); });
    if (!is_listed) draft.transitive_tags.push_back(name);
  }
}

}  // namespace stator::access

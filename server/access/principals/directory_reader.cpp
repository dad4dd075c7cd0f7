#include "server/access/principals/directory_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <initializer_list>

#include "engine/seams/iso_time.h"
#include "protocol/json/json_node_text.h"
#include "protocol/json/json_reader.h"
#include "server/access/principals/identity_tags.h"
#include "server/access/principals/known_keys.h"

namespace stator::access {

namespace {

// Limits of a file, so that no mistake of a generator takes all memory.
constexpr std::size_t kPrincipalsMax = 10'000;
constexpr std::size_t kPoliciesMax = 50;  // of a principal or group

// Thrown by the reader and caught in read_directory().
struct WrongFile {
  std::string text;
};

[[noreturn]] void refuse(std::string_view place, std::string_view why) {
  std::string text(place);
  throw WrongFile{text.append(": ").append(why)};
}

std::string within(std::string_view place, std::string_view member) {
  std::string path(place);
  if (!path.empty()) path += '.';
  return path.append(member);
}

std::string element(std::string_view place, std::size_t index) {
  std::string path(place);
  return path.append("[").append(std::to_string(index)).append("]");
}

void check_members_of(std::string_view place, const JsonNode& json,
                      std::initializer_list<std::string_view> known) {
  if (json.kind() != JsonNode::Kind::Object) refuse(place, "is not an object");
  for (const JsonMember& member : json.members()) {
    const std::string path = within(place, member.name);
    if (std::find(known.begin(), known.end(), member.name) == known.end())
      refuse(path, "there is no such member");
    const auto same =
        std::count_if(json.members().begin(), json.members().end(),
                      [&member](const JsonMember& other) { return other.name == member.name; });
    if (same > 1) refuse(path, "is there twice");
  }
}

std::string text_at(std::string_view place, const JsonNode& json, std::string_view name,
                    bool is_required = true) {
  const JsonNode* const member = json.find(name);
  if (member == nullptr && !is_required) return {};
  if (member == nullptr) refuse(within(place, name), "is missing");
  if (member->kind() != JsonNode::Kind::String) refuse(within(place, name), "is not a string");
  if (member->text().empty()) refuse(within(place, name), "is empty");
  return std::string(member->text());
}

template <class Use>
void for_each_element(std::string_view place, const JsonNode& json, std::string_view name,
                      std::size_t count_max, const Use& use) {
  const JsonNode* const list = json.find(name);
  if (list == nullptr) return;
  const std::string path = within(place, name);
  if (list->kind() != JsonNode::Kind::Array) refuse(path, "is not an array");
  if (list->elements().size() > count_max)
    refuse(path, "has more than " + std::to_string(count_max) + " elements");
  for (std::size_t i = 0; i < list->elements().size(); ++i)
    use(element(path, i), list->elements()[i]);
}

template <class Use>
void for_each_member(std::string_view place, const JsonNode& json, std::string_view name,
                     const Use& use) {
  const JsonNode* const object = json.find(name);
  if (object == nullptr) return;
  const std::string path = within(place, name);
  if (object->kind() != JsonNode::Kind::Object) refuse(path, "is not an object");
  for (const JsonMember& member : object->members())
    use(within(path, member.name), member.name, member.value);
}

// Keys of tags and of conditions: those that differ only in case are one.
Tags pairs_at(std::string_view place, const JsonNode& json, std::string_view name) {
  Tags pairs;
  for_each_member(place, json, name,
                  [&](const std::string& path, std::string_view key, const JsonNode& value) {
                    if (value.kind() != JsonNode::Kind::String) refuse(path, "is not a string");
                    if (find_tag(pairs, key) != pairs.end()) refuse(path, "is there twice");
                    pairs.emplace_back(key, value.text());
                  });
  return pairs;
}

class Reader {
 public:
  Directory read(const JsonNode& json) {
    check_members_of("the file", json,
                     {"version", "account", "principals", "groups", "managed", "webIdentity"});
    const JsonNode* const version = json.find("version");
    if (version == nullptr || version->text() != "1") refuse("version", "is not 1");
    directory_.account = text_at("", json, "account", false);
    const std::string web_identity = text_at("", json, "webIdentity", false);
    if (!web_identity.empty() && web_identity != "trust") refuse("webIdentity", "is not \"trust\"");
    directory_.trusts_web_identity = !web_identity.empty();
    for_each_member("", json, "managed",
                    [&](const std::string& path, std::string_view arn, const JsonNode& document) {
                      directory_.managed.emplace(arn, policy(path, document, PolicyKind::Identity));
                    });
    for_each_member("", json, "groups",
                    [&](const std::string& path, std::string_view name, const JsonNode& group) {
                      check_members_of(path, group, {"policies"});
                      groups_.emplace(name, policies(path, group, "policies"));
                    });
    for_each_element("", json, "principals", kPrincipalsMax,
                     [&](const std::string& path, const JsonNode& one) { principal(path, one); });
    return std::move(directory_);
  }

 private:
  Policy policy(const std::string& place, const JsonNode& json, PolicyKind kind) {
    if (json.kind() == JsonNode::Kind::String) {
      const auto known = directory_.managed.find(json.text());
      if (known == directory_.managed.end() || kind != PolicyKind::Identity)
        refuse(place, "no policy of `managed` has this name");
      return known->second;
    }
    std::string text;
    append_node_json(text, json);
    auto compiled = compile_policy(text, kind);
    if (!compiled) {
      const PolicyFault& fault = compiled.error();
      refuse(fault.place.empty() ? place : within(place, fault.place), fault.text);
    }
    for (const std::string& key : compiled->keys()) {
      if (is_known_key(key)) continue;
      std::string warning(place);
      directory_.warnings.push_back(
          warning.append(": no request has the condition key ").append(key));
    }
    return *std::move(compiled);
  }

  std::vector<Policy> policies(const std::string& place, const JsonNode& json,
                               std::string_view name) {
    std::vector<Policy> list;
    for_each_element(place, json, name, kPoliciesMax,
                     [&](const std::string& path, const JsonNode& document) {
                       list.push_back(policy(path, document, PolicyKind::Identity));
                     });
    return list;
  }

  void principal(const std::string& place, const JsonNode& json) {
    check_members_of(
        place, json,
        {"arn", "keys", "groups", "tags", "policies", "boundary", "trust", "sessions"});
    const std::string arn = text_at(place, json, "arn");
    const auto parts = parse_principal_arn(arn);
    if (!parts) refuse(within(place, "arn"), "is not that of a user, a role or an account's root");
    const bool is_role = parts->type == "role";
    for (const std::string_view name : {"trust", "sessions"}) {
      if (!is_role && json.has(name)) refuse(within(place, name), "only roles have it");
    }
    if (is_role && json.has("keys")) refuse(within(place, "keys"), "roles have sessions instead");
    if (directory_.find(arn) != nullptr) refuse(within(place, "arn"), "is there twice");
    auto shared = std::make_shared<const Identity>(identity(place, json, arn, *parts));
    if (is_role) return role(place, json, arn, parts->name, std::move(shared));
    for_each_element(place, json, "keys", kPoliciesMax,
                     [&](const std::string& path, const JsonNode& key) {
                       check_members_of(path, key, {"id", "secret"});
                       add_key(path, key, {text_at(path, key, "secret"), {}, {}, shared});
                     });
    directory_.users.push_back(std::move(shared));
  }

  Identity identity(const std::string& place, const JsonNode& json, const std::string& arn,
                    const PrincipalArn& parts) {
    Identity one;
    if (parts.type == "root") one = *root_of(parts.account);
    one.principal.arn = arn;
    one.principal.account = parts.account;
    one.principal_arn = arn;
    if (parts.type == "user") one.name = parts.name;
    if (parts.type == "user") one.id = id_of("AIDA", arn);
    if (parts.type == "role") one.id = id_of("AROA", arn);
    one.tags = pairs_at(place, json, "tags");
    one.identity = policies(place, json, "policies");
    for_each_element(
        place, json, "groups", kPoliciesMax, [&](const std::string& path, const JsonNode& name) {
          const auto group = groups_.find(std::string(name.text()));
          if (name.kind() != JsonNode::Kind::String || group == groups_.end())
            refuse(path, "there is no such group");
          one.identity.insert(one.identity.end(), group->second.begin(), group->second.end());
        });
    if (const JsonNode* const boundary = json.find("boundary"))
      one.boundary.push_back(policy(within(place, "boundary"), *boundary, PolicyKind::Identity));
    return one;
  }

  void role(const std::string& place, const JsonNode& json, const std::string& arn,
            const std::string& name, std::shared_ptr<const Identity> shared) {
    Role role{std::move(shared), name, std::nullopt};
    if (const JsonNode* const trust = json.find("trust"))
      role.trust = policy(within(place, "trust"), *trust, PolicyKind::Trust);
    for_each_element(
        place, json, "sessions", kPoliciesMax,
        [&](const std::string& path, const JsonNode& one) { session(path, one, role); });
    directory_.roles.emplace(arn, std::move(role));
  }

  void session(const std::string& place, const JsonNode& json, const Role& role) {
    check_members_of(place, json,
                     {"name", "id", "secret", "token", "tags", "policy", "expires", "context"});
    SessionDraft draft;
    draft.name = text_at(place, json, "name");
    draft.tags = pairs_at(place, json, "tags");
    if (const JsonNode* const document = json.find("policy"))
      draft.policies.push_back(policy(within(place, "policy"), *document, PolicyKind::Identity));
    draft.context = pairs_at(place, json, "context");
    std::optional<Timestamp> expires;
    if (json.has("expires")) {
      expires = parse_iso_extended(text_at(place, json, "expires"));
      if (!expires) refuse(within(place, "expires"), "is no time such as 2027-01-01T00:00:00Z");
    }
    add_key(place, json,
            {text_at(place, json, "secret"), text_at(place, json, "token"), expires,
             role_session(role, std::move(draft))});
  }

  void add_key(const std::string& place, const JsonNode& json, Credential credential) {
    constexpr std::size_t kKeyCharsMax = 128;
    const std::string id = text_at(place, json, "id");
    const bool is_printable =
        std::all_of(id.begin(), id.end(), [](char c) { return c > ' ' && c < 0x7f && c != '/'; });
    if (!is_printable || id.size() > kKeyCharsMax)
      refuse(within(place, "id"), "is not an access key: up to 128 visible characters, no /");
    if (!directory_.keys.emplace(id, std::move(credential)).second)
      refuse(within(place, "id"), "another key has this id");
  }

  Directory directory_;
  std::map<std::string, std::vector<Policy>, std::less<>> groups_;
};

// An open file, closed at the end.
class File {
 public:
  explicit File(const std::string& path) : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (number_ >= 0) ::close(number_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int number() const { return number_; }

 private:
  const int number_;
};

std::string reason_now() { return std::strerror(errno); }

}  // namespace

tl::expected<Directory, std::string> read_directory(std::string text) {
  Arena arena;
  const std::string whole = text;
  std::size_t error_at = 0;
  const auto json = read_json(text, arena, &error_at);
  if (!json) {
    const auto line =
        1 +
        std::count(whole.begin(),
                   whole.begin() + static_cast<std::ptrdiff_t>(std::min(error_at, whole.size())),
                   '\n');
    return tl::unexpected("line " + std::to_string(line) + ": this is not JSON");
  }
  try {
    return Reader{}.read(*json);
  } catch (WrongFile& wrong) {
    return tl::unexpected(std::move(wrong.text));
  }
}

tl::expected<Directory, std::string> read_directory_file(const std::string& path,
                                                         bool is_insecure) {
  const auto failed = [&path](std::string_view why) {
    std::string text(path);
    return tl::unexpected(text.append(": ").append(why));
  };
  const File file(path);
  struct stat about {};
  if (file.number() < 0 || ::fstat(file.number(), &about) != 0) return failed(reason_now());
  if (!S_ISREG(about.st_mode)) return failed("is not a file");
  if ((about.st_mode & (S_IRGRP | S_IROTH)) != 0 && !is_insecure)
    return failed("others may read its secrets: chmod 600, or --access-file-insecure");
  std::string text;
  std::array<char, 64 * 1024> piece;
  for (;;) {
    const ssize_t count = ::read(file.number(), piece.data(), piece.size());
    if (count < 0) return failed(reason_now());
    if (count == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(count));
    if (text.size() > kAccessFileBytesMax) return failed("is larger than 4 MiB");
  }
  auto read = read_directory(std::move(text));
  if (!read) return failed(read.error());
  return read;
}

}  // namespace stator::access

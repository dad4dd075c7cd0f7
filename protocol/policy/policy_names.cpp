#include "protocol/policy/policy_names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace stator {
namespace {

// In lower case: the service compares names of actions without regard to case.
constexpr std::array kPolicyActions{
    std::string_view("getresourcepolicy"),
    std::string_view("putresourcepolicy"),
    std::string_view("deleteresourcepolicy"),
};
constexpr std::array kStreamActions{
    std::string_view("describestream"),
    std::string_view("getrecords"),
    std::string_view("getsharditerator"),
};
constexpr auto kTableActions = std::to_array<std::string_view>({
    "associatetablereplica",
    "batchgetitem",
    "batchwriteitem",
    "conditioncheckitem",
    "createbackup",
    "createtablereplica",
    "deleteitem",
    "deletetable",
    "deletetablereplica",
    "describecontinuousbackups",
    "describecontributorinsights",
    "describekinesisstreamingdestination",
    "describetable",
    "describetablereplicaautoscaling",
    "describetimetolive",
    "disablekinesisstreamingdestination",
    "enablekinesisstreamingdestination",
    "exporttabletopointintime",
    "getitem",
    "listtagsofresource",
    "partiqldelete",
    "partiqlinsert",
    "partiqlselect",
    "partiqlupdate",
    "putitem",
    "query",
    "readdataforreplication",
    "replicatesettings",
    "restoretabletopointintime",
    "scan",
    "searchvectors",
    "tagresource",
    "untagresource",
    "updatecontinuousbackups",
    "updatecontributorinsights",
    "updateitem",
    "updatekinesisstreamingdestination",
    "updatetable",
    "updatetablereplicaautoscaling",
    "updatetimetolive",
    "writedataforreplication",
});
// Keys of conditions whose fixed values name the callers, in lower case.
constexpr auto kRestrictingKeys = std::to_array<std::string_view>({
    "aws:ec2instancesourceprivateipv4",
    "aws:ec2instancesourcevpc",
    "aws:principalaccount",
    "aws:principalarn",
    "aws:principalisawsservice",
    "aws:principalorgid",
    "aws:principalorgpaths",
    "aws:principalservicename",
    "aws:principalservicenameslist",
    "aws:sourceaccount",
    "aws:sourcearn",
    "aws:sourceip",
    "aws:sourceorgid",
    "aws:sourceorgpaths",
    "aws:sourcevpc",
    "aws:sourcevpce",
    "aws:userid",
});

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool has_prefix(std::string_view text, std::string_view lower_prefix) {
  return text.size() >= lower_prefix.size() &&
         std::equal(lower_prefix.begin(), lower_prefix.end(), text.begin(),
                    [](char a, char b) { return a == lower(b); });
}

// Whether `name`, in lower case, fits a pattern with * and ?, in any case.
bool matches(std::string_view pattern, std::string_view name) {
  std::size_t in_pattern = 0;
  std::size_t in_name = 0;
  std::size_t star = std::string_view::npos;  // the last one, and what of the name it takes
  std::size_t taken = 0;
  while (in_name < name.size()) {
    const char c = in_pattern < pattern.size() ? lower(pattern[in_pattern]) : '\0';
    if (c == '*') {
      star = in_pattern++;
      taken = in_name;
    } else if (c == '?' || c == name[in_name]) {
      ++in_pattern;
      ++in_name;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      in_name = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

bool matches_one(std::string_view pattern, std::span<const std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return matches(pattern, name); });
}

bool is_account_id(std::string_view text) {
  return text.size() == 12 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// arn:aws:iam::ACCOUNT:root, …:user/NAME, …:role/NAME, or of sts
// …:assumed-role/ROLE/SESSION, …:federated-user/NAME
bool is_principal_arn(std::string_view text) {
  std::array<std::string_view, 5> parts;  // arn, partition, service, Region, account
  for (std::string_view& part : parts) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return false;
    part = text.substr(0, colon);
    text.remove_prefix(colon + 1);
  }
  const auto& [arn, partition, service, region, account] = parts;
  if (arn != "arn" || !partition.starts_with("aws") || !region.empty() || !is_account_id(account))
    return false;
  const auto has_name = [&](std::string_view kind) {
    return text.starts_with(kind) && text.size() > kind.size();
  };
  if (service == "iam") return text == "root" || has_name("user/") || has_name("role/");
  return service == "sts" && (has_name("assumed-role/") || has_name("federated-user/"));
}

}  // namespace

bool is_same_word(std::string_view text, std::string_view lower_word) {
  return text.size() == lower_word.size() && has_prefix(text, lower_word);
}

bool is_policy_action(std::string_view action, PolicyOwner owner) {
  if (action == "*") return true;
  constexpr std::string_view kService = "dynamodb:";
  if (!has_prefix(action, kService)) return false;
  action.remove_prefix(kService.size());
  return matches_one(action, kPolicyActions) ||
         (owner == PolicyOwner::Stream ? matches_one(action, kStreamActions)
                                       : matches_one(action, kTableActions));
}

std::optional<std::string_view> relative_id_of(std::string_view arn) {
  if (!arn.starts_with("arn:")) return std::nullopt;
  for (int part = 0; part < 5; ++part) {
    const std::size_t colon = arn.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const std::string_view text = arn.substr(0, colon);
    if (part == 2 && text != "dynamodb" && text != "*") return std::nullopt;
    arn.remove_prefix(colon + 1);
  }
  return arn;
}

bool is_policy_resource(std::string_view relative_id, PolicyOwner owner) {
  if (relative_id.starts_with('*')) return true;
  constexpr std::string_view kTable = "table/";
  if (!relative_id.starts_with(kTable)) return false;
  const bool has_stream = relative_id.find("/stream/") != std::string_view::npos;
  if (owner == PolicyOwner::Table) return !has_stream;
  return has_stream || relative_id.find('*') != std::string_view::npos;
}

bool is_policy_principal(std::string_view type, std::string_view text) {
  if (type == "AWS") return text == "*" || is_account_id(text) || is_principal_arn(text);
  if (type == "Service") return text.find('.') != std::string_view::npos;
  return !text.empty();
}

std::string full_principal(std::string_view principal) {
  if (!is_account_id(principal)) return std::string(principal);
  return std::string("arn:aws:iam::").append(principal).append(":root");
}

bool is_restricting_operator(std::string_view name) {
  // ForAllValues holds for callers without the key, and so does an operator with IfExists.
  if (has_prefix(name, "forallvalues:") || name.ends_with("IfExists")) return false;
  return name.find("Not") == std::string_view::npos && !is_same_word(name, "null");
}

bool is_restricting_key(std::string_view name) {
  return std::any_of(kRestrictingKeys.begin(), kRestrictingKeys.end(),
                     [&](std::string_view key) { return is_same_word(name, key); });
}

}  // namespace stator

#include "server/access/principals/known_keys.h"

#include <algorithm>
#include <array>
#include <string>

#include "protocol/text/ascii_case.h"
#include "server/http/header_text.h"

namespace stator::access {

namespace {

constexpr std::array<std::string_view, 33> kKeys{
    "aws:currenttime",
    "aws:epochtime",
    "aws:multifactorauthpresent",
    "aws:principalaccount",
    "aws:principalarn",
    "aws:principaltype",
    "aws:referer",
    "aws:requestedregion",
    "aws:resourceaccount",
    "aws:securetransport",
    "aws:sourceidentity",
    "aws:sourceip",
    "aws:tagkeys",
    "aws:tokenissuetime",
    "aws:useragent",
    "aws:userid",
    "aws:username",
    "aws:viaawsservice",
    "dynamodb:attributes",
    "dynamodb:enclosingoperation",
    "dynamodb:firstpartitionkeyvalues",
    "dynamodb:fourthpartitionkeyvalues",
    "dynamodb:fulltablescan",
    "dynamodb:leadingkeys",
    "dynamodb:returnconsumedcapacity",
    "dynamodb:returnvalues",
    "dynamodb:secondpartitionkeyvalues",
    "dynamodb:select",
    "dynamodb:thirdpartitionkeyvalues",
    "sts:externalid",
    "sts:rolesessionname",
    "sts:sourceidentity",
    "sts:transitivetagkeys",
};

constexpr std::array<std::string_view, 8> kListKeys{
    "aws:tagkeys",
    "dynamodb:attributes",
    "dynamodb:firstpartitionkeyvalues",
    "dynamodb:fourthpartitionkeyvalues",
    "dynamodb:leadingkeys",
    "dynamodb:secondpartitionkeyvalues",
    "dynamodb:thirdpartitionkeyvalues",
    "sts:transitivetagkeys",
};

constexpr std::array<std::string_view, 7> kFamilies{
    "aws:principaltag/",
    "aws:requesttag/",
    "aws:resourcetag/",
    "www.amazon.com:",
    "graph.facebook.com:",
    "accounts.google.com:",
    "cognito-identity.amazonaws.com:",
};

}  // namespace

bool is_list_key(std::string_view key) {
  return std::find(kListKeys.begin(), kListKeys.end(), lower_case(key)) != kListKeys.end();
}

bool is_known_key(std::string_view key) {
  // Of web identities, whose issuers have names of their own.
  const bool is_claim = key.ends_with(":sub") || key.ends_with(":aud") || key.ends_with(":amr");
  return is_claim || std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end() ||
         std::any_of(kFamilies.begin(), kFamilies.end(),
                     [key](std::string_view family) { return key.starts_with(family); });
}

}  // namespace stator::access

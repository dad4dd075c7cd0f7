// The forms in which a request names a function.
#include "server/triggers/api/function_name.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace stator::triggers {
namespace {

struct NameCase {
  const char* text;
  const char* arn;  // nullptr: no name
};

const std::vector<NameCase> kCases = {
    {"f", "arn:aws:lambda:r:a:function:f"},
    {"a.b-c_D9", "arn:aws:lambda:r:a:function:a.b-c_D9"},
    {"f:$LATEST", "arn:aws:lambda:r:a:function:f:$LATEST"},
    {"f:$LATEST.PUBLISHED", "arn:aws:lambda:r:a:function:f:$LATEST.PUBLISHED"},
    {"f:12", "arn:aws:lambda:r:a:function:f:12"},
    {"function:f", "arn:aws:lambda:r:a:function:f"},
    {"123456789012:function:f", "arn:aws:lambda:r:123456789012:function:f"},
    {"123456789012:function:f:q", "arn:aws:lambda:r:123456789012:function:f:q"},
    {"arn:aws:lambda:eu-west-1:123456789012:function:f",
     "arn:aws:lambda:eu-west-1:123456789012:function:f"},
    {"arn:aws-cn:lambda:cn-north-1:123456789012:function:f:q",
     "arn:aws:lambda:cn-north-1:123456789012:function:f:q"},
    {"arn:aws:lambda:local:123456789012:function:f",
     "arn:aws:lambda:local:123456789012:function:f"},
    {"", nullptr},
    {":", nullptr},
    {"f:", nullptr},
    {"f g", nullptr},
    {"f:$OLD", nullptr},
    {"f:a.b", nullptr},
    {"f:a:b", nullptr},
    {"function:", nullptr},
    {"123456789012:function:", nullptr},
    {"12345:function:f", nullptr},
    {"arn:aws:lambda:r:1:function:f", nullptr},
    {"arn:aws:sqs:r:123456789012:function:f", nullptr},
    {"arn:aws:lambda:r:123456789012:layer:f", nullptr},
    {"arn:aws:lambda:r:123456789012:function", nullptr},
    {"arn:aws:lambda:r:123456789012:function:f:q:x", nullptr},
    {"a:b:c:d:e:f:g:h:i:j:k:l", nullptr},
};

TEST_CASE("function names: forms", "[triggers]") {
  for (const NameCase& one : kCases) {
    INFO(one.text);
    const auto name = parse_function_name(one.text);
    REQUIRE(name.has_value() == (one.arn != nullptr));
    if (name) CHECK(name->arn("r", "a") == one.arn);
  }
}

}  // namespace
}  // namespace stator::triggers

// Profiles and layers of wording.
#include "protocol/service/wording.h"

#include <string>

#include <catch2/catch.hpp>

namespace stator {
namespace {

std::string enveloped(const Wording& wording) {
  return wording.enveloped(Error::validation("text")).message();
}

TEST_CASE("wording: the classic profile has only the classic layer", "[protocol]") {
  for (const Layer layer : {Layer::Classic, Layer::Bare, Layer::Enveloped}) {
    const Wording classic = Wording::of(Profile::Classic, layer);
    CHECK_FALSE(classic.is_new());
    CHECK(classic.number_rules() == NumberRules::Classic);
    CHECK(enveloped(classic) == "text");
    CHECK(Wording::of(Profile::Current, layer).is_new() == (layer != Layer::Classic));
  }
}

TEST_CASE("wording: only the enveloped layer adds the prefix", "[protocol]") {
  CHECK(enveloped(Wording::of(Profile::Current, Layer::Classic)) == "text");
  CHECK(enveloped(Wording::of(Profile::Current, Layer::Bare)) == "text");
  CHECK(enveloped(Wording::of(Profile::Current, Layer::Enveloped)) ==
        "1 validation error detected: text");
}

}  // namespace
}  // namespace stator

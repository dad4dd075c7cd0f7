#include "protocol/text/xml_text.h"

#include <catch2/catch.hpp>

namespace stator {
namespace {

TEST_CASE("XML: what stands in an element is text of XML 1.0", "[protocol]") {
  CHECK(xml_text("<a href=\"x\">&") == "&lt;a href=\"x\"&gt;&amp;");
  CHECK(xml_text("a\n\tb\r\x01") == "a\n\tb??");
  CHECK(xml_text("\xC3\xA9") == "\xC3\xA9");
  CHECK(xml_text("\xC3\xA9 \xFF") == "?? ?");
}

}  // namespace
}  // namespace stator

// server/console/console.cpp: which file answers a path, and what browsers store of it.
#include "server/console/console.h"

#include <array>

#include <catch2/catch.hpp>

#include "server/http/compression.h"
#include "tests/unit/server/harness/parse_request.h"

namespace stator {
namespace {

constexpr std::string_view kPage = "<!doctype html><title>t</title>";
constexpr std::string_view kScript = "console.log('a longer text, a longer text, a longer text')";

struct Pages {
  Pages() {
    deflate_body(kPage, Encoding::Gzip, page_gzip);
    deflate_body(kScript, Encoding::Gzip, script_gzip);
  }

  std::string page_gzip;
  std::string script_gzip;
};
const Pages kPages;

std::span<const ConsoleFile> files() {
  static const std::array<ConsoleFile, 2> kFiles{{
      {"assets/index-AbCd1234.js", "text/javascript", kPages.script_gzip, kScript.size(), "5c21",
       true},
      {"index.html", "text/html", kPages.page_gzip, kPage.size(), "9a6e", false},
  }};
  return kFiles;
}

struct Got {
  Answer answer;
  std::string unpacked;
};

// What it returns views the console.
Got get(const Console& console, const std::string& path, const std::string& headers = "",
        const std::string& method = "GET") {
  test::Feeder feeder;
  REQUIRE(feeder.feed(method + " /_stator/console" + path + " HTTP/1.1\r\nHost: h\r\n" + headers +
                      "\r\n") == HttpRequestParser::Progress::Complete);
  Got got;
  got.answer = console.answer(feeder.request(), got.unpacked);
  // The answer views the text before it moved.
  if (!got.unpacked.empty()) got.answer.body = {};
  return got;
}

bool has(const Answer& answer, const std::string& line) {
  return answer.more_headers.find(line + "\r\n") != std::string_view::npos;
}

TEST_CASE("console: the answer in gzip, or unpacked for a client without it", "[server]") {
  const Console console(files());
  CHECK(console.is_served());
  const Got packed = get(console, "/", "Accept-Encoding: gzip, deflate, br\r\n");
  CHECK(packed.answer.status == 200);
  CHECK(packed.answer.content_type == "text/html");
  CHECK(packed.answer.is_gzip);
  CHECK(packed.answer.body == kPages.page_gzip);
  CHECK(has(packed.answer, "ETag: \"9a6e\""));
  CHECK(has(packed.answer, "Cache-Control: no-cache"));
  CHECK(has(packed.answer, "Vary: Accept-Encoding"));
  const Got plain = get(console, "/");
  CHECK_FALSE(plain.answer.is_gzip);
  CHECK(plain.unpacked == kPage);
  CHECK(has(plain.answer, "ETag: W/\"9a6e\""));
}

TEST_CASE("console: browsers need not ask again for a name with a hash", "[server]") {
  const Console console(files());
  const Got script = get(console, "/assets/index-AbCd1234.js");
  CHECK(script.unpacked == kScript);
  CHECK(has(script.answer, "Cache-Control: public, max-age=31536000, immutable"));
}

TEST_CASE("console: a known content is not sent again", "[server]") {
  const Console console(files());
  for (const char* const known : {"\"9a6e\"", "W/\"9a6e\"", "\"x\", \"9a6e\"", "*"}) {
    INFO(known);
    const Got got = get(console, "/", std::string("If-None-Match: ") + known + "\r\n");
    CHECK(got.answer.status == 304);
    CHECK(got.answer.body.empty());
    CHECK(has(got.answer, "ETag: W/\"9a6e\""));
  }
  for (const char* const other : {"\"9a6\"", "9a6e", "\"5c21\"", "\"9a6e", ""})
    CHECK(get(console, "/", std::string("If-None-Match: ") + other + "\r\n").answer.status == 200);
}

TEST_CASE("console: paths that are no file are pages", "[server]") {
  const Console console(files());
  for (const char* const page : {"/", "/index.html", "/t/Orders/items", "/log/ABC", "/t/a.b",
                                 "/t/my.table/items?q=1", "/marks/v1.2"}) {
    INFO(page);
    CHECK(get(console, page).unpacked == kPage);
  }
  for (const char* const missing :
       {"/favicon.ico", "/assets/index-OldOldOl.js", "/assets/", "/..", "/app.js.map"}) {
    INFO(missing);
    const Answer answer = get(console, missing).answer;
    CHECK(answer.status == 404);
    CHECK(answer.content_type.starts_with("text/plain"));
  }
}

TEST_CASE("console: the path without a slash leads to the one with it", "[server]") {
  const Console console(files());
  const Answer answer = get(console, "").answer;
  CHECK(answer.status == 302);
  CHECK(has(answer, "Location: console/"));
}

TEST_CASE("console: only GET and HEAD", "[server]") {
  const Console console(files());
  CHECK(get(console, "/", "", "HEAD").answer.status == 200);
  const Answer answer = get(console, "/", "Content-Length: 0\r\n", "POST").answer;
  CHECK(answer.status == 405);
  CHECK(answer.allow == "GET, HEAD");
}

TEST_CASE("console: off and left out have texts of their own", "[server]") {
  const Console off(files(), /*is_on=*/false);
  CHECK_FALSE(off.is_served());
  CHECK(get(off, "/").answer.status == 404);
  CHECK(get(off, "/").answer.body.find("--console off") != std::string_view::npos);
  const Console left_out({});
  CHECK_FALSE(left_out.is_served());
  for (const char* const path : {"", "/", "/index.html", "/t/Orders"}) {
    CHECK(get(left_out, path).answer.status == 404);
    CHECK(get(left_out, path).answer.body.find("built without the console") !=
          std::string_view::npos);
  }
}

TEST_CASE("console: the files of this program are sorted and whole", "[server]") {
  std::string_view last;
  for (const ConsoleFile& file : console_files()) {
    CHECK(last < file.name);
    last = file.name;
    std::string unpacked;
    CHECK(inflate_body(file.gzip, Encoding::Gzip, file.size_bytes, unpacked) == Inflated::Ok);
    CHECK(unpacked.size() == file.size_bytes);
    CHECK(file.sum.size() == 32);
  }
}

}  // namespace
}  // namespace stator

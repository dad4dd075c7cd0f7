// Any text as the form of a call of STS, sent by a user, the root and a session, and without a
// signature, to a server that enforces policies and to one that does not. Each answer is an XML
// document of the right form, and only known calls succeed.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/text/utf8.h"
#include "server/access/access_control.h"
#include "server/access/principals/directory_reader.h"
#include "server/access/sts/sts.h"
#include "server/access/sts/sts_xml.h"
#include "server/http/http_request.h"

namespace {

using namespace stator;

constexpr std::string_view kRegion = "us-east-1";

void demand(bool holds) {
  if (!holds) std::abort();
}

// A user and a root, and a role that the user and the holders of tokens may assume.
access::Directory directory() {
  auto read = access::read_directory(R"({
"version":1,"account":"111122223333","webIdentity":"trust",
"principals":[
 {"arn":"arn:aws:iam::111122223333:root"},
 {"arn":"arn:aws:iam::111122223333:user/dev","tags":{"tenant":"a"},"policies":[
  {"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"sts:*","Resource":"*"}]}]},
 {"arn":"arn:aws:iam::111122223333:role/app","tags":{"team":"x"},
  "trust":{"Version":"2012-10-17","Statement":[
   {"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111122223333:root"},"Action":"sts:*"},
   {"Effect":"Allow","Principal":{"Federated":"accounts.google.com"},
    "Action":["sts:AssumeRoleWithWebIdentity","sts:TagSession"]}]},
  "sessions":[{"name":"ci","id":"ASIACI","secret":"s","token":"t"}]}],
"managed":{"arn:aws:iam::aws:policy/ReadOnly":{"Version":"2012-10-17","Statement":[
 {"Effect":"Allow","Action":"dynamodb:Get*","Resource":"*"}]}}})");
  demand(read.has_value());
  return *std::move(read);
}

struct Server {
  explicit Server(AuthMode mode) : access({mode, {}, false, settings, clock}, directory()) {}

  Settings settings;
  SystemClock clock;
  access::AccessControl access;
};

// The texts of a document's tags and content are where XML allows them, and each element ends.
void check_xml(std::string_view xml) {
  demand(is_valid_utf8(xml));
  std::vector<std::string_view> open;
  std::size_t roots = 0;
  while (!xml.empty()) {
    if (xml.front() != '<') {
      const std::string_view text = xml.substr(0, xml.find('<'));
      xml.remove_prefix(text.size());
      demand(!open.empty() || text == "\n");
      demand(text.find('>') == std::string_view::npos);
      const std::size_t last = text.rfind('&');
      demand(last == std::string_view::npos || text.find(';', last) != std::string_view::npos);
      for (const char c : text)
        demand(static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\t');
      continue;
    }
    const std::size_t end = xml.find('>');
    demand(end != std::string_view::npos);
    const std::string_view tag = xml.substr(1, end - 1);
    xml.remove_prefix(end + 1);
    if (tag.front() == '/') {
      demand(!open.empty() && open.back() == tag.substr(1));
      open.pop_back();
      continue;
    }
    if (open.empty()) ++roots;
    open.push_back(tag.substr(0, tag.find(' ')));
  }
  demand(open.empty() && roots == 1);
}

void check(const access::StsAnswer& answer, std::string_view action) {
  check_xml(answer.body);
  if (answer.status != 200) {
    demand(answer.status == 400 || answer.status == 403);
    demand(answer.body.starts_with("<ErrorResponse "));
    return;
  }
  demand(answer.body.starts_with("<" + std::string(action) + "Response "));
  const bool has_keys = answer.body.find("<SecretAccessKey>") != std::string::npos;
  demand(has_keys == (action != "GetCallerIdentity"));
}

void send_to(Server& server, const HttpRequest& request) {
  demand(access::is_sts_request(request));
  const access::StsForm form(request.body());
  const std::string_view action = form.text("Action");
  if (access::is_unsigned_sts_request(request)) {
    check(access::answer_unsigned_sts(server.access, request), action);
    return;
  }
  const auto known = server.access.directory();
  for (const std::string_view caller :
       {"arn:aws:iam::111122223333:user/dev", "arn:aws:iam::111122223333:root",
        "arn:aws:sts::111122223333:assumed-role/app/ci"}) {
    const access::Identity* const identity = known->find(caller);
    demand(identity != nullptr);
    check(access::answer_sts(server.access, request, *identity, kRegion), action);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Server enforcing(AuthMode::Iam);
  static Server auditing(AuthMode::Audit);
  std::string text("POST / HTTP/1.1\r\nHost: localhost:8000\r\nContent-Type: ");
  text.append("application/x-www-form-urlencoded; charset=utf-8\r\nContent-Length: ");
  text.append(std::to_string(size)).append("\r\n\r\n");
  text.append(reinterpret_cast<const char*>(data), size);
  HttpRequestParser parser(/*keeps_fields=*/true);
  for (std::string_view rest = text;;) {
    const auto fed = parser.feed(rest);
    rest.remove_prefix(fed.consumed);
    if (fed.progress == HttpRequestParser::Progress::Complete) break;
    demand(fed.progress == HttpRequestParser::Progress::NeedMore && !rest.empty());
  }
  send_to(enforcing, parser.request());
  send_to(auditing, parser.request());
  return 0;
}

#include "server/access/recent_denials.h"

#include <string>

#include <catch2/catch.hpp>

#include "server/access/decisions/explained_denials.h"

namespace stator::access {
namespace {

DeniedAccess denied(std::uint64_t request, std::string value = "t2#a") {
  DeniedAccess made;
  made.sender = std::make_shared<const Identity>();
  made.action = "dynamodb:GetItem";
  made.resource = "arn:aws:dynamodb:us-east-1:111122223333:table/App";
  made.context.set_list("dynamodb:LeadingKeys", {std::move(value)});
  made.context.set_unknowable("dynamodb:Attributes", true);
  made.message = "message " + std::to_string(request);
  made.request = request;
  return made;
}

TEST_CASE("recent denials: the newest first, named by their request", "[server]") {
  RecentDenials denials;
  const auto first = denials.next_request();
  const auto second = denials.next_request();
  CHECK(first != second);
  for (const auto request : {first, second, first}) denials.add(denied(request));
  denials.set_request_id(first, "ID1");
  const auto list = denials.list();
  REQUIRE(list.size() == 3);
  CHECK(list[0].request_id == "ID1");
  CHECK(list[1].request_id.empty());
  CHECK(list[2].request_id == "ID1");
  denials.clear();
  CHECK(denials.list().empty());
}

TEST_CASE("recent denials: number and size are bounded", "[server]") {
  RecentDenials denials;
  for (std::uint64_t i = 1; i <= RecentDenials::kDenialsMax + 5; ++i) denials.add(denied(i));
  CHECK(denials.list().size() == RecentDenials::kDenialsMax);
  CHECK(denials.list().back().request == 6);
  const std::string large(RecentDenials::kBytesMax / 2, 'x');
  for (std::uint64_t i = 1; i <= 3; ++i) denials.add(denied(i, large));
  CHECK(denials.list().size() == 1);
  denials.add(denied(9, large + large));
  CHECK(denials.list().size() == 1);
  CHECK(denials.list().front().request == 9);
}

TEST_CASE("recent denials: as JSON and as text", "[server]") {
  RecentDenials denials;
  CHECK(denials_json(denials, {}) == R"({"count":0,"denials":[]})");
  denials.add(denied(1, "\xFF"));
  denials.add(denied(2));
  denials.set_request_id(2, "ID2");
  const std::string all = denials_json(denials, {});
  CHECK(all.starts_with(R"({"count":2,"denials":[{"time":"1970-01-01T00:00:00.000Z",)"
                        R"("request_id":"ID2","principal":"","action":"dynamodb:GetItem",)"));
  CHECK(all.find(R"("context":{"dynamodb:LeadingKeys":["t2#a"],"dynamodb:Attributes":null})") !=
        std::string::npos);
  CHECK(all.find(R"("dynamodb:LeadingKeys":["?"])") != std::string::npos);
  CHECK(all.find(R"("message":"message 2","statements":[])") != std::string::npos);
  DenialQuery query;
  query.request_id = "ID2";
  CHECK(denials_text(denials, query) ==
        R"({"count":1,"text":"1970-01-01T00:00:00.000Z, request ID2\ndenied: )"
        R"(no identity-based policy allows the action\nmessage 2\n"})");
  query.request_id = "ID3";
  CHECK(denials_text(denials, query) == R"({"count":0,"text":""})");
  query = {};
  query.limit = 1;
  CHECK(denials_json(denials, query).starts_with(R"({"count":1,)"));
  query.principal = "arn:aws:iam::1:user/x";
  CHECK(denials_json(denials, query).starts_with(R"({"count":0,)"));
}

}  // namespace
}  // namespace stator::access

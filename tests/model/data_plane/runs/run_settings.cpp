// Tags and time to live at random: what is told of them, whatever is gone back to in between. No
// item has the attributes of a time to live, so that nothing expires.
#include <utility>

#include "tests/model/data_plane/runs/run.h"

namespace stator::model {
namespace {

constexpr std::size_t kTagsMax = 9;  // a page of them

Json of_table(const LiveTable& table) {
  Json request;
  request["TableName"] = Json::string(table.model.schema().name);
  return request;
}

}  // namespace

void Run::change_settings() {
  LiveTable& table = any_table();
  if (dice_.percent(40)) {
    change_time_to_live(table);
  } else {
    change_tags(table);
  }
  verify_settings(table);
}

Json Run::of_resource(const LiveTable& table) {
  const Json told = call("DescribeTable", of_table(table));
  Json request;
  request["ResourceArn"] = told.object.at("Table").object.at("TableArn");
  return request;
}

// Half of them change the value of a tag, or remove one that is not there.
void Run::change_tags(LiveTable& table) {
  const std::string key = "key" + std::to_string(dice_.below(kTagsMax));
  Json request = of_resource(table);
  if (dice_.percent(60)) {
    const std::string value = "value " + std::to_string(dice_.below(1000));
    Json tag;
    tag["Key"] = Json::string(key);
    tag["Value"] = Json::string(value);
    request["Tags"] = Json::list({tag});
    send_settings("TagResource", request);
    table.tags[key] = value;
  } else {
    request["TagKeys"] = Json::list({Json::string(key)});
    send_settings("UntagResource", request);
    table.tags.erase(key);
  }
}

void Run::change_time_to_live(LiveTable& table) {
  const bool enables = table.expiring_by.empty();
  const std::string attribute =
      enables ? "expires" + std::to_string(dice_.below(3)) : table.expiring_by;
  Json request = of_table(table);
  Json& wanted = request["TimeToLiveSpecification"];
  wanted["AttributeName"] = Json::string(attribute);
  wanted["Enabled"] = Json::boolean(enables);
  send_settings("UpdateTimeToLive", request);
  table.expiring_by = enables ? attribute : std::string();
  // What it leaves to do may be done before the next mark or behind it.
  while (dice_.percent(70) && driver_->sweep()) count("maintenance");
}

// Some of them answer nothing.
void Run::send_settings(std::string_view operation, const Json& request) {
  const test::Answer answer = send(operation, request);
  if (!answer.ok) differ(operation, request, "success", answer.json);
}

void Run::verify_settings(LiveTable& table) {
  const Json resource = of_resource(table);
  Json actual;
  actual["tags"];
  const Json tags = call("ListTagsOfResource", resource);
  for (const Json& tag : tags.object.at("Tags").array)
    actual["tags"][tag.object.at("Key").text] = tag.object.at("Value");
  Json expected;
  expected["tags"];
  for (const auto& [key, value] : table.tags) expected["tags"][key] = Json::string(value);
  compare("ListTagsOfResource", resource, expected, actual);
  const Json expiry = call("DescribeTimeToLive", of_table(table));
  const Json* const attribute = expiry.object.at("TimeToLiveDescription").find("AttributeName");
  const std::string told = attribute == nullptr ? std::string() : attribute->text;
  if (told != table.expiring_by)
    differ("DescribeTimeToLive", of_table(table), "'" + table.expiring_by + "'", "'" + told + "'");
}

}  // namespace stator::model

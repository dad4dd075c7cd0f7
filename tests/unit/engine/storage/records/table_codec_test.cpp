#include "engine/storage/records/table_codec.h"

#include <algorithm>
#include <set>
#include <string>
#include <type_traits>

#include <catch2/catch.hpp>

#include "engine/schema/table.h"
#include "engine/storage/records/member_count.h"
#include "engine/storage/records/table_members.h"
#include "protocol/json/json_reader.h"
#include "protocol/json/json_writer.h"
#include "protocol/memory/arena.h"

using namespace stator;

namespace {

Table full_table() {
  Table table;
  table.scope = "key\"/eu-west-1";
  table.name = "Music";
  table.region = "eu-west-1";
  table.account_id = "123456789012";
  table.id = "00000000-0000-4000-8000-000000000000";
  table.space = storage::SpaceId{7};
  table.created = {1'790'000'000'123'456};
  table.attribute_definitions = {{"pk", Type::S}, {"sk", Type::N}, {"b", Type::B}};
  table.partition_key = {"pk", Type::S};
  table.sort_key = KeyAttribute{"sk", Type::N};
  LocalIndex local;
  local.name = "by_b";
  local.space = storage::SpaceId{8};
  local.partition_keys = {{"pk", Type::S}};
  local.sort_keys = {{"b", Type::B}};
  local.projection = {ProjectionType::Include, {"x", "y"}};
  table.local_indexes.push_back(local);
  GlobalIndex global;
  global.name = "by_sk";
  global.space = storage::SpaceId{9};
  global.partition_keys = {{"sk", Type::N}, {"b", Type::B}};
  global.throughput = {3, 4};
  global.throughput_before = Throughput{1, 2};
  global.history = {Timestamp{5}, Timestamp{6}, 2};
  global.updating_until = {77};
  global.on_demand = {10, std::nullopt};
  global.warm = {30, 40};
  global.warm_to = Throughput{50, 60};
  global.warm_updating_until = {16};
  global.build = IndexBuild{{11}, std::string("p\0\xFF", 3), "s"};
  global.deleting_until = Timestamp{12};
  global.insights =
      ContributorInsights{true, ContributorInsightsMode::ThrottledKeys, Timestamp{13}, {}};
  table.global_indexes.push_back(global);
  table.settings.billing_mode = BillingMode::PayPerRequest;
  table.settings.shows_billing_mode = true;
  table.settings.last_on_demand = Timestamp{99};
  table.settings_before = ThroughputSettings{};
  table.settings_before->throughput = {5, 6};
  table.settings_before->table_class = TableClass::StandardInfrequentAccess;
  table.on_demand = {std::nullopt, 20};
  table.warm = {12000, 4000};
  table.warm_to = Throughput{13000, 4000};
  table.warm_updating_until = {3};
  table.deletion_protection = true;
  table.stream = StreamSettings{
      StreamViewType::NewAndOldImages, "2026-11-20T00:00:00.000", false, 12, Timestamp{34}, {}};
  table.encryption = Encryption{"arn:aws:kms:eu-west-1:123456789012:key/k", {4}};
  table.time_to_live = TimeToLive{.is_enabled = true,
                                  .attribute_name = "a.\"b",
                                  .changed = {8},
                                  .changing_until = {9},
                                  .space = storage::SpaceId{10},
                                  .build = ExpiryBuild{std::string("p\0\xFF", 3), "s"}};
  table.insights = ContributorInsights{false, ContributorInsightsMode::ThrottledKeys, {14}, {15}};
  table.tags = {{"owner", "me"}, {"empty", ""}};
  table.creating_until = {1};
  table.updating_until = {2};
  table.deleting_until = Timestamp{3};
  return table;
}

// The stored text of full_table(): records of earlier versions look like this.
constexpr std::string_view kFullText =
    R"({"scope":"key\"/eu-west-1","name":"Music","region":"eu-west-1",)"
    R"("account_id":"123456789012","id":"00000000-0000-4000-8000-000000000000","space":7,)"
    R"("created":1790000000123456,"attribute_definitions":[{"name":"pk","type":"S"},)"
    R"({"name":"sk","type":"N"},{"name":"b","type":"B"}],"partition_key":{"name":"pk",)"
    R"("type":"S"},"sort_key":{"name":"sk","type":"N"},"local_indexes":[{"name":"by_b",)"
    R"("space":8,"partition_keys":[{"name":"pk","type":"S"}],"sort_keys":[{"name":"b",)"
    R"("type":"B"}],"projection":"INCLUDE","non_key_attributes":["x","y"]}],)"
    R"("global_indexes":[{"name":"by_sk","space":9,"partition_keys":[{"name":"sk","type":"N"},)"
    R"({"name":"b","type":"B"}],"sort_keys":[],"projection":"ALL","non_key_attributes":[],)"
    R"("throughput":{"read":3,"write":4},"throughput_before":{"read":1,"write":2},)"
    R"("history":{"last_increase":5,"last_decrease":6,"decreases_today":2},"updating_until":77,)"
    R"("on_demand_read_max":10,"warm":{"read":30,"write":40},"warm_to":{"read":50,"write":60},)"
    R"("warm_updating_until":16,"insights":{"is_enabled":true,"mode":"THROTTLED_KEYS",)"
    R"("changed":13},"build":{"allocating_until":11,"done_partition":"cAD/",)"
    R"("done_sort":"cw=="},"deleting_until":12}],"settings":{"billing_mode":"PAY_PER_REQUEST",)"
    R"("shows_billing_mode":true,"last_on_demand":99,"throughput":{"read":0,"write":0},)"
    R"("history":{"decreases_today":0},"table_class":"STANDARD","shows_table_class":false},)"
    R"("settings_before":{"billing_mode":"PROVISIONED","shows_billing_mode":false,)"
    R"("throughput":{"read":5,"write":6},"history":{"decreases_today":0},)"
    R"("table_class":"STANDARD_INFREQUENT_ACCESS","shows_table_class":false},)"
    R"("on_demand_write_max":20,"warm":{"read":12000,"write":4000},"warm_to":{"read":13000,)"
    R"("write":4000},"warm_updating_until":3,"deletion_protection":true,)"
    R"("stream_view_type":"NEW_AND_OLD_IMAGES","stream_label":"2026-11-20T00:00:00.000",)"
    R"("stream_number":12,"stream_changing_until":34,"stream_is_disabled":true,)"
    R"("kms_key_arn":"arn:aws:kms:eu-west-1:123456789012:key/k","encryption_updating_until":4,)"
    R"("time_to_live":{"is_enabled":true,"attribute_name":"a.\"b","changed":8,)"
    R"("changing_until":9,"space":10,"build":{"done_partition":"cAD/","done_sort":"cw=="}},)"
    R"("insights":{"is_enabled":false,"mode":"THROTTLED_KEYS","changed":14,)"
    R"("changing_until":15},"tags":[{"key":"owner","value":"me"},{"key":"empty","value":""}],)"
    R"("kinesis":[],"creating_until":1,"updating_until":2,"deleting_until":3})";

// Gives each stored member a value that is not its default, and none alike where the type allows.
class Filler {
 public:
  template <members::Part Object>
  void fill(Object& object) {
    members::visit_lines<Object>([&](const auto& line) { fill_line(line, object); });
  }

 private:
  template <class Object, class Value, members::Form kForm>
  void fill_line(const members::Line<Object, Value, kForm>& line, Object& object) {
    if constexpr (kForm != members::Form::NotStored) fill(object.*line.at);
  }
  template <class Object, class Owner, class Inner>
  void fill_line(const members::LineBeside<Object, Owner, Inner>& line, Object& object) {
    fill_line(line.line, object);
  }

  void fill(std::string& text) { text = "text " + std::to_string(++last_); }
  static void fill(bool& value) { value = !value; }
  void fill(std::int64_t& value) { value = ++last_; }
  void fill(std::uint64_t& value) { value = static_cast<std::uint64_t>(++last_); }
  void fill(Timestamp& time) { time = {++last_}; }
  void fill(storage::SpaceId& space) {
    space = storage::SpaceId{static_cast<std::uint32_t>(++last_)};
  }
  static void fill(Type& type) { type = Type::N; }
  template <class Value>
  requires std::is_enum_v<Value>
  void fill(Value& value) { value = Value{1}; }
  template <class Value>
  void fill(std::optional<Value>& value) {
    fill(value.emplace());
  }
  template <class Value>
  void fill(std::vector<Value>& list) {
    fill(list.emplace_back());
    fill(list.emplace_back());
  }
  void fill(std::pair<std::string, std::string>& tag) {
    fill(tag.first);
    fill(tag.second);
  }

  std::int64_t last_ = 0;
};

template <class Value>
bool is_same(const Value& one, const Value& other) {
  return one == other;
}
template <members::Part Object>
bool is_same(const Object& one, const Object& other);
template <class Value>
bool is_same(const std::optional<Value>& one, const std::optional<Value>& other) {
  return one.has_value() == other.has_value() && (!one || is_same(*one, *other));
}
template <class Value>
bool is_same(const std::vector<Value>& one, const std::vector<Value>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const Value& a, const Value& b) { return is_same(a, b); });
}

template <class Object, class Value, members::Form kForm>
bool is_same_at(const members::Line<Object, Value, kForm>& line, const Object& one,
                const Object& other) {
  return kForm == members::Form::NotStored || is_same(one.*line.at, other.*line.at);
}
template <class Object, class Owner, class Inner>
bool is_same_at(const members::LineBeside<Object, Owner, Inner>& line, const Object& one,
                const Object& other) {
  return is_same_at(line.line, one, other);
}
template <class Object, class Value, members::Form kForm>
constexpr bool is_not_stored(const members::Line<Object, Value, kForm>& /*line*/) {
  return kForm == members::Form::NotStored;
}

template <members::Part Object>
bool is_same(const Object& one, const Object& other) {
  bool are_same = true;
  members::visit_lines<Object>(
      [&](const auto& line) { are_same = are_same && is_same_at(line, one, other); });
  return are_same;
}

// The names that are `required` in any list. An optional part that stands beside its owner's
// members is gone without its first name.
class RequiredNames {
 public:
  RequiredNames() { add(static_cast<const Table*>(nullptr)); }
  bool has(const std::string& name) const {
    return names_.contains(name) && !parts_.contains(name);
  }

 private:
  template <members::Part Object>
  void add(const Object* /*type*/) {
    members::visit_lines<Object>([&](const auto& line) { add_line(line); });
  }
  template <class Object, class Value, members::Form kForm>
  void add_line(const members::Line<Object, Value, kForm>& line) {
    if (line.absent == members::Absent::Damaged) names_.emplace(line.name);
    if (kForm == members::Form::Spread) parts_.emplace(line.name);
    add(static_cast<const Value*>(nullptr));
  }
  template <class Object, class Owner, class Inner>
  void add_line(const members::LineBeside<Object, Owner, Inner>& line) {
    add_line(line.line);
  }
  template <class Value>
  void add(const std::optional<Value>* /*type*/) {
    add(static_cast<const Value*>(nullptr));
  }
  template <class Value>
  void add(const std::vector<Value>* /*type*/) {
    add(static_cast<const Value*>(nullptr));
  }
  void add(const std::pair<std::string, std::string>* /*tag*/) { names_.insert({"key", "value"}); }
  static void add(const void* /*type*/) {}

  std::set<std::string> names_;
  std::set<std::string> parts_;
};

// Copies a document without one of its members, counted from 0 in the order of the text.
class MemberRemover {
 public:
  explicit MemberRemover(int number) : left_(number) {}
  std::string without(const JsonNode& node) {
    std::string text;
    JsonWriter out(text);
    copy(node, out);
    return text;
  }
  const std::string& removed() const { return removed_; }  // its name; empty if there are too few

 private:
  void copy(const JsonNode& node, JsonWriter& out) {
    switch (node.kind()) {
      case JsonNode::Kind::Object:
        out.begin_object();
        for (const JsonMember& member : node.members()) {
          if (left_-- == 0) {
            removed_ = member.name;
            continue;
          }
          out.key(member.name);
          copy(member.value, out);
        }
        return out.end_object();
      case JsonNode::Kind::Array:
        out.begin_array();
        for (const JsonNode& element : node.elements()) copy(element, out);
        return out.end_array();
      case JsonNode::Kind::String:
        return out.string(node.text());
      case JsonNode::Kind::True:
      case JsonNode::Kind::False:
        return out.boolean(node.kind() == JsonNode::Kind::True);
      default:
        out.before_value();
        out.out() += node.text();
    }
  }

  int left_;
  std::string removed_;
};

struct Three {
  std::optional<Timestamp> time;
  std::vector<std::string> texts;
  bool flag = true;
};

}  // namespace

static_assert(member_count<Three>() == 3);
static_assert(member_count<Throughput>() == 2);

TEST_CASE("table codec: the stored text stays as it is", "[engine]") {
  CHECK(encode_table(full_table()) == kFullText);
  const auto decoded = decode_table(std::string(kFullText));
  REQUIRE(decoded);
  CHECK(is_same(*decoded, full_table()));
}

TEST_CASE("table codec: each member is stored and read again", "[engine]") {
  Table table;
  Filler().fill(table);
  const auto decoded = decode_table(encode_table(table));
  REQUIRE(decoded);
  members::visit_lines<Table>([&](const auto& line) {
    INFO(encode_table(*decoded));
    CHECK(is_same_at(line, *decoded, table));
    CHECK((is_not_stored(line) || !is_same_at(line, *decoded, Table())));
  });
}

TEST_CASE("table codec: a record without a member is read by its line", "[engine]") {
  Table table;
  Filler().fill(table);
  const std::string whole = encode_table(table);
  const RequiredNames required;
  std::set<std::string> met;
  for (int number = 0;; ++number) {
    Arena arena;
    std::string text = whole;
    const auto root = read_json(text, arena);
    REQUIRE(root);
    MemberRemover remover(number);
    const auto decoded = decode_table(remover.without(*root));
    if (remover.removed().empty()) break;
    INFO(remover.removed());
    met.insert(remover.removed());
    CHECK(decoded.has_value() == !required.has(remover.removed()));
    if (decoded) CHECK_FALSE(is_same(*decoded, table));
  }
  for (const char* name : {"name", "warm_to", "stream_label", "encryption_is_ending", "tags"})
    CHECK(met.contains(name));
}

TEST_CASE("table codec: damaged text is refused", "[engine]") {
  const std::string text = encode_table(full_table());
  CHECK_FALSE(decode_table(""));
  CHECK_FALSE(decode_table("{}"));
  CHECK_FALSE(decode_table(text.substr(0, text.size() / 2)));
  std::string other_type = text;
  other_type.replace(other_type.find("\"type\":\"S\""), 10, "\"type\":\"X\"");
  CHECK_FALSE(decode_table(other_type));
  std::string no_object = text;
  no_object.replace(no_object.find("[{\"name\":\"pk\""), 1, "[\"pk\",");
  CHECK_FALSE(decode_table(no_object));
}

TEST_CASE("table codec: an export comes back as it was", "[engine]") {
  ExportJob job;
  Filler().fill(job);
  const auto read = decode_export(encode_export(job));
  REQUIRE(read);
  CHECK(is_same(*read, job));
  CHECK_FALSE(decode_export("{}"));
  const auto bare = decode_export(encode_export({}));
  REQUIRE(bare);
  CHECK(is_same(*bare, ExportJob{}));
}

TEST_CASE("table codec: an import comes back as it was", "[engine]") {
  ImportJob job;
  Filler().fill(job);
  const auto read = decode_import(encode_import(job));
  REQUIRE(read);
  CHECK(is_same(*read, job));
  CHECK_FALSE(decode_import("{}"));
  const auto bare = decode_import(encode_import({}));
  REQUIRE(bare);
  CHECK(is_same(*bare, ImportJob{}));
  Table table;
  table.creating_until = kWhileImported;
  CHECK(decode_table(encode_table(table))->creating_until == kWhileImported);
}

TEST_CASE("table codec: a bulk put comes back as it was", "[engine]") {
  BulkJob job;
  Filler().fill(job);
  const auto read = decode_bulk_job(encode_bulk_job(job));
  REQUIRE(read);
  CHECK(is_same(*read, job));
  CHECK_FALSE(decode_bulk_job("{}"));
  const auto bare = decode_bulk_job(encode_bulk_job({}));
  REQUIRE(bare);
  CHECK(is_same(*bare, BulkJob{}));
}

TEST_CASE("table: status follows the clock", "[engine]") {
  Table table;
  table.creating_until = {10};
  CHECK(table.status({9}) == TableStatus::Creating);
  CHECK(table.status({10}) == TableStatus::Active);
  table.updating_until = {20};
  CHECK(table.status({19}) == TableStatus::Updating);
  CHECK(table.status({20}) == TableStatus::Active);
  table.deleting_until = Timestamp{30};
  CHECK(table.status({29}) == TableStatus::Deleting);
  CHECK(table.status({30}) == TableStatus::Gone);
}

TEST_CASE("table: status follows its indexes, and theirs the clock", "[engine]") {
  Table table;
  GlobalIndex& index = table.global_indexes.emplace_back();
  CHECK(index.status({1}) == TableStatus::Active);
  index.build = IndexBuild{{10}, {}, {}};
  CHECK(index.status({9}) == TableStatus::Creating);
  CHECK(index.is_allocating({9}));
  CHECK_FALSE(index.is_backfilling({9}));
  CHECK(table.status({9}) == TableStatus::Updating);
  CHECK(index.status({10}) == TableStatus::Creating);
  CHECK(index.is_backfilling({10}));
  CHECK(table.status({10}) == TableStatus::Active);
  index.build.reset();
  index.deleting_until = Timestamp{20};
  CHECK_FALSE(index.is_active());
  CHECK(index.status({19}) == TableStatus::Deleting);
  CHECK(table.status({19}) == TableStatus::Updating);
  CHECK(index.status({20}) == TableStatus::Gone);
  CHECK(table.status({20}) == TableStatus::Active);
  CHECK(table.find_global_index("", {19}) == &index);
  CHECK(table.find_global_index("", {20}) == nullptr);
}

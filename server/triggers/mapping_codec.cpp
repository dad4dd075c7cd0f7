#include "server/triggers/mapping_codec.h"

#include <array>
#include <charconv>
#include <utility>

#include "protocol/json/json_reader.h"
#include "protocol/json/json_writer.h"
#include "protocol/memory/arena.h"

namespace stator::triggers {
namespace {

constexpr std::string_view kPositionPrefix = "triggers/position/";
constexpr std::size_t kNumberBytes = 8;
constexpr std::size_t kLaneDigits = 3;

// Writes what differs from the default.
class MemberWriter {
 public:
  explicit MemberWriter(JsonWriter& json) : json_(json) {}

  void operator()(std::string_view name, const std::string& value, const std::string& usual) {
    if (value != usual) json_.member(name, value);
  }
  void operator()(std::string_view name, bool value, bool usual) {
    if (value != usual) json_.member(name, value);
  }
  void operator()(std::string_view name, std::int32_t value, std::int32_t usual) {
    if (value != usual) json_.member(name, std::int64_t{value});
  }
  void operator()(std::string_view name, const std::vector<std::string>& value,
                  const std::vector<std::string>& usual) {
    if (value == usual) return;
    json_.key(name);
    json_.begin_array();
    for (const std::string& text : value) json_.string(text);
    json_.end_array();
  }
  void operator()(std::string_view name, const std::optional<std::vector<std::string>>& value,
                  const std::optional<std::vector<std::string>>& /*usual*/) {
    // An empty list is no default.
    if (value) (*this)(name, *value, {std::string()});
  }

 private:
  JsonWriter& json_;
};

// Reads what is there; notes members of a wrong kind.
class MemberReader {
 public:
  explicit MemberReader(const JsonNode& from) : from_(from) {}

  bool is_sound() const { return is_sound_; }

  template <class Value, class Usual>
  void operator()(std::string_view name, Value& value, const Usual& /*usual*/) {
    if (const JsonNode* const node = from_.find(name)) is_sound_ = take(*node, value) && is_sound_;
  }

  template <class Integer>
  static bool take_integer(const JsonNode& node, Integer& value) {
    const std::string_view text = node.text();
    if (node.kind() != JsonNode::Kind::Integer) return false;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  }

 private:
  static bool take(const JsonNode& node, std::string& value) {
    if (node.kind() != JsonNode::Kind::String) return false;
    value = node.text();
    return true;
  }
  static bool take(const JsonNode& node, bool& value) {
    value = node.kind() == JsonNode::Kind::True;
    return value || node.kind() == JsonNode::Kind::False;
  }
  static bool take(const JsonNode& node, std::int32_t& value) { return take_integer(node, value); }
  static bool take(const JsonNode& node, std::vector<std::string>& value) {
    if (node.kind() != JsonNode::Kind::Array) return false;
    value.clear();
    for (const JsonNode& element : node.elements()) {
      if (!take(element, value.emplace_back())) return false;
    }
    return true;
  }
  static bool take(const JsonNode& node, std::optional<std::vector<std::string>>& value) {
    return take(node, value.emplace());
  }

  const JsonNode& from_;
  bool is_sound_ = true;
};

// The one list of the settings' names.
template <class Settings, class Visit>
void visit_settings(Settings& settings, Visit& visit) {
  static const MappingSettings kUsual;
  visit("function", settings.function_arn, kUsual.function_arn);
  visit("enabled", settings.is_enabled, kUsual.is_enabled);
  visit("batch_size", settings.batch_size, kUsual.batch_size);
  visit("batching_window", settings.batching_window_s, kUsual.batching_window_s);
  visit("parallelization", settings.parallelization_factor, kUsual.parallelization_factor);
  visit("retries", settings.retry_attempts_max, kUsual.retry_attempts_max);
  visit("record_age", settings.record_age_max_s, kUsual.record_age_max_s);
  visit("tumbling_window", settings.tumbling_window_s, kUsual.tumbling_window_s);
  visit("bisects", settings.bisects_on_error, kUsual.bisects_on_error);
  visit("item_failures", settings.reports_item_failures, kUsual.reports_item_failures);
  visit("filters", settings.filters, kUsual.filters);
  visit("on_failure", settings.on_failure, kUsual.on_failure);
  visit("kms_key", settings.kms_key_arn, kUsual.kms_key_arn);
  visit("metrics", settings.metrics, kUsual.metrics);
}

// The names of the mapping's texts and flags.
template <class Any, class Visit>
void visit_texts(Any& mapping, Visit& visit) {
  static const std::string kEmpty;
  visit("uuid", mapping.uuid, kEmpty);
  visit("scope", mapping.scope, kEmpty);
  visit("region", mapping.region, kEmpty);
  visit("account", mapping.account_id, kEmpty);
  visit("stream", mapping.stream_arn, kEmpty);
  visit("table", mapping.table_name, kEmpty);
  visit("label", mapping.stream_label, kEmpty);
  visit("deleted", mapping.is_deleted, false);
}

void write_settings(JsonWriter& json, std::string_view name, const MappingSettings& settings) {
  json.key(name);
  json.begin_object();
  MemberWriter members(json);
  visit_settings(settings, members);
  json.end_object();
}

bool read_settings(const JsonNode& from, MappingSettings& settings) {
  if (from.kind() != JsonNode::Kind::Object) return false;
  MemberReader members(from);
  visit_settings(settings, members);
  return members.is_sound();
}

// Integers of 64 bits, in microseconds for times.
bool read_numbers(const JsonNode& from, Mapping& mapping) {
  std::int64_t until = 0;
  std::int64_t created = 0;
  std::int64_t modified = 0;
  std::uint64_t starts_latest = 0;
  std::uint64_t change = 0;
  const auto take = [&](std::string_view name, auto& value) {
    const JsonNode* const node = from.find(name);
    return node != nullptr && MemberReader::take_integer(*node, value);
  };
  const bool is_sound = take("first_number", mapping.first_number) && take("until", until) &&
                        take("created", created) && take("modified", modified) &&
                        take("latest", starts_latest) && take("change", change) &&
                        change <= static_cast<std::uint64_t>(MappingState::Deleting);
  if (!is_sound) return false;
  mapping.changing_until = Timestamp{until};
  mapping.created = Timestamp{created};
  mapping.last_modified = Timestamp{modified};
  mapping.starting_position =
      starts_latest != 0 ? StartingPosition::Latest : StartingPosition::TrimHorizon;
  mapping.change = static_cast<MappingState>(change);
  return true;
}

bool read_tags(const JsonNode& from, std::map<std::string, std::string>& tags) {
  const JsonNode* const node = from.find("tags");
  if (node == nullptr) return true;
  if (node->kind() != JsonNode::Kind::Object) return false;
  for (const auto& [name, value] : node->members()) {
    if (value.kind() != JsonNode::Kind::String) return false;
    tags[std::string(name)] = value.text();
  }
  return true;
}

}  // namespace

std::string encode_mapping(const Mapping& mapping) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  MemberWriter members(json);
  visit_texts(mapping, members);
  json.key("first_number");
  json.raw(std::to_string(mapping.first_number));
  json.member("until", mapping.changing_until.unix_us);
  json.member("created", mapping.created.unix_us);
  json.member("modified", mapping.last_modified.unix_us);
  json.member("latest",
              std::int64_t{mapping.starting_position == StartingPosition::Latest ? 1 : 0});
  json.member("change", static_cast<std::int64_t>(mapping.change));
  write_settings(json, "settings", mapping.settings);
  if (mapping.before) write_settings(json, "before", *mapping.before);
  if (!mapping.tags.empty()) {
    json.key("tags");
    json.begin_object();
    for (const auto& [name, value] : mapping.tags) json.member(name, value);
    json.end_object();
  }
  json.end_object();
  return text;
}

std::optional<Mapping> decode_mapping(std::string text) {
  Arena arena;
  const auto read = read_json(text, arena);
  if (!read || read->kind() != JsonNode::Kind::Object) return std::nullopt;
  Mapping mapping;
  MemberReader members(*read);
  visit_texts(mapping, members);
  const JsonNode* const settings = read->find("settings");
  const JsonNode* const before = read->find("before");
  const bool is_sound = members.is_sound() && read_numbers(*read, mapping) &&
                        read_tags(*read, mapping.tags) && settings != nullptr &&
                        read_settings(*settings, mapping.settings) &&
                        (before == nullptr || read_settings(*before, mapping.before.emplace()));
  if (!is_sound) return std::nullopt;
  return mapping;
}

std::string position_prefix(std::string_view uuid) {
  return std::string(kPositionPrefix).append(uuid).append("/");
}

std::string position_key(std::string_view uuid, std::string_view shard_id, std::uint32_t lane) {
  std::string digits = std::to_string(lane);
  digits.insert(0, kLaneDigits - std::min(digits.size(), kLaneDigits), '0');
  return position_prefix(uuid).append(shard_id).append("/").append(digits);
}

std::string encode_position(const ShardPosition& position) {
  std::string text;
  for (std::size_t i = kNumberBytes; i-- > 0;)
    text.push_back(static_cast<char>(position.next >> (8 * i) & 0xFFU));
  return text.append(position.note);
}

std::optional<ShardPosition> decode_position(std::string_view key, std::string_view value) {
  const std::size_t lane_at = key.rfind('/');
  if (lane_at == std::string_view::npos || value.size() < kNumberBytes) return std::nullopt;
  const std::size_t shard_at = key.rfind('/', lane_at - 1);
  if (shard_at == std::string_view::npos) return std::nullopt;
  ShardPosition position;
  position.shard_id = key.substr(shard_at + 1, lane_at - shard_at - 1);
  const std::string_view digits = key.substr(lane_at + 1);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), position.lane);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  for (const char byte : value.substr(0, kNumberBytes))
    position.next = position.next << 8U | static_cast<unsigned char>(byte);
  position.note = value.substr(kNumberBytes);
  return position;
}

}  // namespace stator::triggers

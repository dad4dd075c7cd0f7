#include "server/triggers/api/mapping_request.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "protocol/text/utf8.h"
#include "server/triggers/api/function_name.h"

namespace stator::triggers {
namespace {

constexpr std::size_t kPatternCharsMax = 4096;
constexpr std::size_t kDestinationCharsMax = 350;
constexpr std::size_t kTagNameCharsMax = 128;
constexpr std::size_t kTagValueCharsMax = 256;
constexpr std::string_view kReportsItemFailures = "ReportBatchItemFailures";

// Members of the model that streams of DynamoDB do not take.
constexpr std::array<std::string_view, 11> kNotForStreams = {"ScalingConfig",
                                                             "ProvisionedPollerConfig",
                                                             "LoggingConfig",
                                                             "Queues",
                                                             "Topics",
                                                             "SourceAccessConfigurations",
                                                             "SelfManagedEventSource",
                                                             "AmazonManagedKafkaEventSourceConfig",
                                                             "SelfManagedKafkaEventSourceConfig",
                                                             "DocumentDBEventSourceConfig",
                                                             "StartingPositionTimestamp"};

struct IntegerMember {
  std::string_view name;
  std::string_view path;
  std::int32_t MappingSettings::*place;
  std::int64_t least;
  std::int64_t most;
};
constexpr std::array<IntegerMember, 6> kIntegers = {{
    {"BatchSize", "batchSize", &MappingSettings::batch_size, 1, 10'000},
    {"MaximumBatchingWindowInSeconds", "maximumBatchingWindowInSeconds",
     &MappingSettings::batching_window_s, 0, 300},
    {"ParallelizationFactor", "parallelizationFactor", &MappingSettings::parallelization_factor, 1,
     10},
    {"MaximumRetryAttempts", "maximumRetryAttempts", &MappingSettings::retry_attempts_max, -1,
     10'000},
    {"MaximumRecordAgeInSeconds", "maximumRecordAgeInSeconds", &MappingSettings::record_age_max_s,
     -1, 604'800},
    {"TumblingWindowInSeconds", "tumblingWindowInSeconds", &MappingSettings::tumbling_window_s, 0,
     900},
}};

LambdaResult<std::string> read_text(std::string_view name, const JsonNode& node) {
  if (node.kind() != JsonNode::Kind::String) return wrong_member_type(name, "a string");
  return std::string(node.text());
}

LambdaResult<const JsonNode*> read_structure(std::string_view name, const JsonNode& node) {
  if (node.kind() != JsonNode::Kind::Object) return wrong_member_type(name, "an object");
  return &node;
}

// Reads the members of one body in turn; the first member of a wrong type ends it.
class MappingReader {
 public:
  MappingReader(const JsonNode& body, MappingSettings base, bool is_new)
      : body_(body), is_new_(is_new) {
    read_.settings = std::move(base);
  }

  LambdaResult<MappingRequest> read() {
    const std::array<LambdaResult<void> (MappingReader::*)(), 8> steps = {
        &MappingReader::read_names,   &MappingReader::read_integers,
        &MappingReader::read_flags,   &MappingReader::read_filters,
        &MappingReader::read_targets, &MappingReader::read_response_types,
        &MappingReader::read_metrics, &MappingReader::read_own_tags};
    for (const auto step : steps) {
      if (auto done = (this->*step)(); !done) return tl::unexpected(std::move(done).error());
    }
    const auto* const other = std::find_if(kNotForStreams.begin(), kNotForStreams.end(),
                                           [&](std::string_view name) { return body_.has(name); });
    if (other != kNotForStreams.end()) read_.not_for_streams = *other;
    if (!violations_.empty()) return violations_.refusal();
    return std::move(read_);
  }

 private:
  LambdaResult<void> take_text(std::string_view name, std::optional<std::string>& text) {
    const JsonNode* const node = body_.find(name);
    if (node == nullptr) return {};
    auto read = read_text(name, *node);
    if (!read) return tl::unexpected(std::move(read).error());
    text = *std::move(read);
    return {};
  }

  LambdaResult<void> read_names() {
    if (auto done = take_text("FunctionName", read_.function_name); !done) return done;
    if (is_new_) {
      if (auto done = take_text("EventSourceArn", read_.event_source_arn); !done) return done;
      if (auto done = take_text("StartingPosition", read_.starting_position); !done) return done;
    }
    check_function_name();
    const auto& position = read_.starting_position;
    if (position && *position != "LATEST" && *position != "TRIM_HORIZON" &&
        *position != "AT_TIMESTAMP") {
      violations_.add("startingPosition", *position,
                      "Member must satisfy enum value set: [LATEST, AT_TIMESTAMP, TRIM_HORIZON]");
    }
    return {};
  }

  void check_function_name() {
    if (!read_.function_name) {
      if (is_new_) violations_.add_null("functionName");
      return;
    }
    const std::string& text = *read_.function_name;
    violations_.check_length("functionName", text, kFunctionReferenceCharsMax);
    const auto name = parse_function_name(text);
    if (!name && !text.empty()) {
      violations_.add("functionName", text,
                      std::string("Member must satisfy regular expression pattern: ")
                          .append(function_name_pattern()));
    }
    if (name) violations_.check_length("functionName", name->name, kFunctionNameCharsMax);
  }

  LambdaResult<void> read_integers() {
    for (const IntegerMember& member : kIntegers) {
      const JsonNode* const node = body_.find(member.name);
      if (node == nullptr) continue;
      const std::string_view text = node->text();
      std::int64_t value = 0;
      if (node->kind() != JsonNode::Kind::Integer ||
          std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc())
        return wrong_member_type(member.name, "an integer");
      violations_.check_range(member.path, value, member.least, member.most);
      if (value >= member.least && value <= member.most)
        read_.settings.*member.place = static_cast<std::int32_t>(value);
    }
    return {};
  }

  LambdaResult<void> read_flags() {
    constexpr std::array<std::pair<std::string_view, bool MappingSettings::*>, 2> kFlags = {
        {{"Enabled", &MappingSettings::is_enabled},
         {"BisectBatchOnFunctionError", &MappingSettings::bisects_on_error}}};
    for (const auto& [name, place] : kFlags) {
      const JsonNode* const node = body_.find(name);
      if (node == nullptr) continue;
      const bool is_true = node->kind() == JsonNode::Kind::True;
      if (!is_true && node->kind() != JsonNode::Kind::False)
        return wrong_member_type(name, "a boolean");
      read_.settings.*place = is_true;
    }
    return {};
  }

  LambdaResult<void> read_filters() {
    const JsonNode* const node = body_.find("FilterCriteria");
    if (node == nullptr) return {};
    const auto criteria = read_structure("FilterCriteria", *node);
    if (!criteria) return tl::unexpected(criteria.error());
    read_.settings.filters.clear();
    const JsonNode* const list = (*criteria)->find("Filters");
    if (list == nullptr) return {};
    if (list->kind() != JsonNode::Kind::Array) return wrong_member_type("Filters", "a list");
    std::size_t place = 0;
    for (const JsonNode& filter : list->elements()) {
      ++place;
      const auto structure = read_structure("Filters", filter);
      if (!structure) return tl::unexpected(structure.error());
      const JsonNode* const pattern = (*structure)->find("Pattern");
      auto text = pattern == nullptr ? std::string() : read_text("Pattern", *pattern);
      if (!text) return tl::unexpected(std::move(text).error());
      if (utf8_length(*text) > kPatternCharsMax) {
        std::string path("filterCriteria.filters.");
        violations_.add(path.append(std::to_string(place)).append(".member.pattern"), *text,
                        "Member must have length less than or equal to 4096");
      }
      read_.settings.filters.push_back(*std::move(text));
    }
    return {};
  }

  LambdaResult<void> read_targets() {
    if (const JsonNode* const key = body_.find("KMSKeyArn")) {
      auto text = read_text("KMSKeyArn", *key);
      if (!text) return tl::unexpected(std::move(text).error());
      if (!text->empty() && !text->starts_with("arn:")) {
        violations_.add("kMSKeyArn", *text,
                        "Member must satisfy regular expression pattern: "
                        "(arn:(aws[a-zA-Z-]*)?:[a-z0-9-.]+:.*)|()");
      }
      read_.settings.kms_key_arn = *std::move(text);
    }
    const JsonNode* const config = body_.find("DestinationConfig");
    if (config == nullptr) return {};
    if (const auto read = read_structure("DestinationConfig", *config); !read)
      return tl::unexpected(read.error());
    read_.has_on_success = config->has("OnSuccess");
    read_.settings.on_failure.clear();
    const JsonNode* const failure = config->find("OnFailure");
    if (failure == nullptr) return {};
    if (const auto read = read_structure("OnFailure", *failure); !read)
      return tl::unexpected(read.error());
    const JsonNode* const destination = failure->find("Destination");
    if (destination == nullptr) return {};
    auto text = read_text("Destination", *destination);
    if (!text) return tl::unexpected(std::move(text).error());
    check_destination(*text);
    read_.settings.on_failure = *std::move(text);
    return {};
  }

  void check_destination(const std::string& text) {
    constexpr std::string_view kPath = "destinationConfig.onFailure.destination";
    if (!text.empty()) violations_.check_length(kPath, text, kDestinationCharsMax);
    if (!text.empty() && !text.starts_with("arn:") && !text.starts_with("kafka://")) {
      violations_.add(kPath, text,
                      R"(Member must satisfy regular expression pattern: ^$|kafka://)"
                      R"(([^.]([a-zA-Z0-9\-_.]{0,248}))|arn:(aws[a-zA-Z0-9-]*):.*)");
    }
  }

  // A list of texts from a set. `path` is of the list.
  LambdaResult<std::vector<std::string>> read_choices(const JsonNode& node, std::string_view name,
                                                      std::string_view path,
                                                      std::span<const std::string_view> choices) {
    if (node.kind() != JsonNode::Kind::Array) return wrong_member_type(name, "a list");
    std::vector<std::string> texts;
    bool are_all_known = true;
    for (const JsonNode& element : node.elements()) {
      auto text = read_text(name, element);
      if (!text) return tl::unexpected(std::move(text).error());
      are_all_known =
          are_all_known && std::find(choices.begin(), choices.end(), *text) != choices.end();
      texts.push_back(*std::move(text));
    }
    if (are_all_known) return texts;
    std::string shown("[");
    for (const std::string& text : texts) shown.append(shown.size() > 1 ? ", " : "").append(text);
    std::string wanted("Member must satisfy constraint: [Member must satisfy enum value set: [");
    for (const std::string_view one : choices)
      wanted.append(one.data() == choices.front().data() ? "" : ", ").append(one);
    violations_.add(path, shown.append("]"), wanted.append("]]"));
    return texts;
  }

  LambdaResult<void> read_response_types() {
    constexpr std::array<std::string_view, 1> kChoices = {kReportsItemFailures};
    const JsonNode* const node = body_.find("FunctionResponseTypes");
    if (node == nullptr) return {};
    const auto types =
        read_choices(*node, "FunctionResponseTypes", "functionResponseTypes", kChoices);
    if (!types) return tl::unexpected(types.error());
    if (types->size() > 1) {
      violations_.add("functionResponseTypes", "[ReportBatchItemFailures, …]",
                      "Member must have length less than or equal to 1");
    }
    read_.settings.reports_item_failures = !types->empty();
    return {};
  }

  LambdaResult<void> read_metrics() {
    constexpr std::array<std::string_view, 3> kChoices = {"EventCount", "ErrorCount",
                                                          "KafkaMetrics"};
    const JsonNode* const config = body_.find("MetricsConfig");
    if (config == nullptr) return {};
    if (const auto read = read_structure("MetricsConfig", *config); !read)
      return tl::unexpected(read.error());
    const JsonNode* const node = config->find("Metrics");
    if (node == nullptr) {
      read_.settings.metrics.reset();
      return {};
    }
    auto metrics = read_choices(*node, "Metrics", "metricsConfig.metrics", kChoices);
    if (!metrics) return tl::unexpected(std::move(metrics).error());
    if (metrics->size() > kChoices.size()) {
      violations_.add("metricsConfig.metrics", "[…]",
                      "Member must have length less than or equal to 3");
    }
    read_.settings.metrics = *std::move(metrics);
    return {};
  }

  LambdaResult<void> read_own_tags() {
    const JsonNode* const node = is_new_ ? body_.find("Tags") : nullptr;
    if (node == nullptr) return {};
    auto tags = read_tags(*node);
    if (!tags) return tl::unexpected(std::move(tags).error());
    read_.tags = *std::move(tags);
    return {};
  }

  const JsonNode& body_;
  const bool is_new_;
  MappingRequest read_;
  ConstraintList violations_;
};

}  // namespace

LambdaResult<MappingRequest> read_mapping_request(const JsonNode& body, MappingSettings base,
                                                  bool is_new) {
  return MappingReader(body, std::move(base), is_new).read();
}

LambdaResult<MappingTags> read_tags(const JsonNode& node) {
  if (node.kind() != JsonNode::Kind::Object) return wrong_member_type("Tags", "an object");
  MappingTags tags;
  for (const auto& [name, value] : node.members()) {
    auto text = read_text("Tags", value);
    if (!text) return tl::unexpected(std::move(text).error());
    if (name.empty() || utf8_length(name) > kTagNameCharsMax)
      return invalid_value("The key of a tag has 1 to 128 characters.");
    if (utf8_length(*text) > kTagValueCharsMax)
      return invalid_value("The value of a tag has at most 256 characters.");
    tags[std::string(name)] = *std::move(text);
  }
  if (tags.size() > kTagsMax) return invalid_value("A resource has at most 50 tags.");
  return tags;
}

}  // namespace stator::triggers

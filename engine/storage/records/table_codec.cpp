#include "engine/storage/records/table_codec.h"

#include <array>
#include <utility>
#include <vector>

#include "engine/storage/records/table_members.h"
#include "protocol/json/json_reader.h"
#include "protocol/json/json_writer.h"
#include "protocol/memory/arena.h"
#include "protocol/shapes/shape.h"
#include "protocol/text/base64.h"

namespace stator {
namespace {

using members::Absent;
using members::Form;
using members::Line;
using members::LineBeside;
using members::Part;

using Tag = std::pair<std::string, std::string>;

template <class T>
concept Enumeration = std::is_enum_v<T> && !std::is_same_v<T, storage::SpaceId>;

std::string_view to_text(Type type) { return type_name(type); }

template <class Enum>
constexpr auto kEnumerators = nullptr;
template <>
constexpr std::array kEnumerators<Type>{Type::S, Type::N, Type::B};
template <>
constexpr std::array kEnumerators<BillingMode>{BillingMode::Provisioned,
                                               BillingMode::PayPerRequest};
template <>
constexpr std::array kEnumerators<TableClass>{TableClass::Standard,
                                              TableClass::StandardInfrequentAccess};
template <>
constexpr std::array kEnumerators<ProjectionType>{ProjectionType::All, ProjectionType::KeysOnly,
                                                  ProjectionType::Include};
template <>
constexpr std::array kEnumerators<StreamViewType>{
    StreamViewType::KeysOnly, StreamViewType::NewImage, StreamViewType::OldImage,
    StreamViewType::NewAndOldImages};
template <>
constexpr std::array kEnumerators<BackupType>{BackupType::User, BackupType::System};
template <>
constexpr std::array kEnumerators<ExportStatus>{ExportStatus::InProgress, ExportStatus::Completed,
                                                ExportStatus::Failed};
template <>
constexpr std::array kEnumerators<ExportFormat>{ExportFormat::DynamodbJson, ExportFormat::Ion};
template <>
constexpr std::array kEnumerators<ExportType>{ExportType::Full, ExportType::Incremental};
template <>
constexpr std::array kEnumerators<ExportView>{ExportView::NewImage, ExportView::NewAndOldImages};
template <>
constexpr std::array kEnumerators<ImportStatus>{ImportStatus::InProgress, ImportStatus::Completed,
                                                ImportStatus::Failed};
template <>
constexpr std::array kEnumerators<ImportFormat>{ImportFormat::DynamodbJson, ImportFormat::Ion,
                                                ImportFormat::Csv};
template <>
constexpr std::array kEnumerators<ObjectCompression>{
    ObjectCompression::Gzip, ObjectCompression::Zstd, ObjectCompression::None};
template <>
constexpr std::array kEnumerators<BulkStatus>{
    BulkStatus::InProgress, BulkStatus::Completed, BulkStatus::CompletedWithErrors,
    BulkStatus::Cancelling, BulkStatus::Cancelled, BulkStatus::Failed};
template <>
constexpr std::array kEnumerators<BulkOutput>{BulkOutput::Error, BulkOutput::ConditionCheckFailure};
template <>
constexpr std::array kEnumerators<BulkTier>{BulkTier::Standard, BulkTier::Accelerated};
template <>
constexpr std::array kEnumerators<ContributorInsightsMode>{
    ContributorInsightsMode::AccessedAndThrottledKeys, ContributorInsightsMode::ThrottledKeys};
template <>
constexpr std::array kEnumerators<KinesisPrecision>{KinesisPrecision::Millisecond,
                                                    KinesisPrecision::Microsecond};
template <>
constexpr std::array kEnumerators<KinesisState>{KinesisState::Enabling, KinesisState::Active,
                                                KinesisState::Disabled, KinesisState::EnableFailed};

// ---- Writing

class Writer {
 public:
  explicit Writer(JsonWriter& out) : out_(out) {}

  template <Part Object>
  void object(const Object& object) {
    out_.begin_object();
    write_members(object);
    out_.end_object();
  }

 private:
  template <Part Object>
  void write_members(const Object& object) {
    members::visit_lines<Object>([&](const auto& line) { write(line, object); });
  }

  template <class Object, class Value, Form kForm>
  void write(const Line<Object, Value, kForm>& line, const Object& object) {
    const Value& value = object.*line.at;
    if constexpr (kForm == Form::Value) {
      if (!is_written(value)) return;
      out_.key(line.name);
      write_value(value);
    } else if constexpr (kForm == Form::Bytes) {
      std::string text;
      append_base64(text, value);
      out_.member(line.name, std::string_view(text));
    } else if constexpr (kForm == Form::WhenTrue || kForm == Form::WhenFalse) {
      if (value == (kForm == Form::WhenTrue)) out_.member(line.name, true);
    } else if constexpr (kForm == Form::Spread) {
      write_spread(value);
    }
  }
  template <class Object, class Owner, class Inner>
  void write(const LineBeside<Object, Owner, Inner>& line, const Object& object) {
    if (object.*line.owner) write(line.line, object);
  }

  template <Part Value>
  void write_spread(const Value& value) {
    write_members(value);
  }
  template <Part Value>
  void write_spread(const std::optional<Value>& value) {
    if (value) write_members(*value);
  }

  template <class Value>
  static bool is_written(const Value& /*value*/) {
    return true;
  }
  static bool is_written(Timestamp time) { return time.unix_us != 0; }
  template <class Value>
  static bool is_written(const std::optional<Value>& value) {
    return value.has_value();
  }

  void write_value(const std::string& text) { out_.string(text); }
  void write_value(bool value) { out_.boolean(value); }
  void write_value(std::int64_t value) { out_.integer(value); }
  void write_value(std::uint64_t value) { out_.integer(static_cast<std::int64_t>(value)); }
  void write_value(storage::SpaceId space) { out_.integer(static_cast<std::int64_t>(space)); }
  void write_value(Timestamp time) { out_.integer(time.unix_us); }
  template <Enumeration Value>
  void write_value(Value value) {
    out_.string(to_text(value));
  }
  template <Part Value>
  void write_value(const Value& value) {
    object(value);
  }
  void write_value(const Tag& tag) {
    out_.begin_object();
    out_.member("key", std::string_view(tag.first));
    out_.member("value", std::string_view(tag.second));
    out_.end_object();
  }
  template <class Value>
  void write_value(const std::optional<Value>& value) {
    write_value(*value);
  }
  template <class Value>
  void write_value(const std::vector<Value>& list) {
    out_.begin_array();
    for (const Value& value : list) write_value(value);
    out_.end_array();
  }

  JsonWriter& out_;
};

// ---- Reading

class Reader {
 public:
  template <Part Object>
  void read_members(const JsonNode& node, Object& object) {
    members::visit_lines<Object>([&](const auto& line) { read(line, node, object); });
  }
  // Whether some member could not be read.
  bool has_failed() const { return has_failed_; }

 private:
  template <class Object, class Value, Form kForm>
  void read(const Line<Object, Value, kForm>& line, const JsonNode& node, Object& object) {
    Value& value = object.*line.at;
    if constexpr (kForm == Form::Value || kForm == Form::Bytes) {
      const JsonNode* found = node.find(line.name);
      if (found == nullptr) {
        has_failed_ = has_failed_ || line.absent == Absent::Damaged;
      } else if constexpr (kForm == Form::Bytes) {
        read_bytes(*found, value);
      } else {
        read_value(*found, value);
      }
    } else if constexpr (kForm == Form::WhenTrue || kForm == Form::WhenFalse) {
      value = (node.find(line.name) != nullptr) == (kForm == Form::WhenTrue);
    } else if constexpr (kForm == Form::Spread) {
      read_spread(node, line.name, value);
    }
  }
  template <class Object, class Owner, class Inner>
  void read(const LineBeside<Object, Owner, Inner>& line, const JsonNode& node, Object& object) {
    if (object.*line.owner) read(line.line, node, object);
  }

  template <Part Value>
  void read_spread(const JsonNode& node, std::string_view /*set_if*/, Value& value) {
    read_members(node, value);
  }
  template <Part Value>
  void read_spread(const JsonNode& node, std::string_view set_if, std::optional<Value>& value) {
    if (node.find(set_if) != nullptr) read_members(node, value.emplace());
  }

  bool expect(const JsonNode& node, JsonNode::Kind kind) {
    has_failed_ = has_failed_ || node.kind() != kind;
    return node.kind() == kind;
  }

  void read_value(const JsonNode& node, std::string& text) {
    if (expect(node, JsonNode::Kind::String)) text = node.text();
  }
  void read_bytes(const JsonNode& node, std::string& bytes) {
    if (!expect(node, JsonNode::Kind::String)) return;
    has_failed_ = has_failed_ || check_base64(node.text()) != Base64Error::None;
    if (has_failed_) return;
    Arena arena;
    bytes = decode_base64(node.text(), arena);
  }
  static void read_value(const JsonNode& node, bool& value) {
    value = node.kind() == JsonNode::Kind::True;
  }
  void read_value(const JsonNode& node, std::int64_t& value) {
    if (expect(node, JsonNode::Kind::Integer)) value = integer_of(node);
  }
  void read_value(const JsonNode& node, std::uint64_t& value) {
    if (expect(node, JsonNode::Kind::Integer)) value = static_cast<std::uint64_t>(integer_of(node));
  }
  void read_value(const JsonNode& node, storage::SpaceId& space) {
    std::int64_t number = 0;
    read_value(node, number);
    space = storage::SpaceId{static_cast<std::uint32_t>(number)};
  }
  void read_value(const JsonNode& node, Timestamp& time) { read_value(node, time.unix_us); }
  template <Enumeration Value>
  void read_value(const JsonNode& node, Value& value) {
    if (!expect(node, JsonNode::Kind::String)) return;
    for (const Value one : kEnumerators<Value>) {
      if (to_text(one) == node.text()) return static_cast<void>(value = one);
    }
    has_failed_ = true;
  }
  template <Part Value>
  void read_value(const JsonNode& node, Value& value) {
    if (expect(node, JsonNode::Kind::Object)) read_members(node, value);
  }
  void read_value(const JsonNode& node, Tag& tag) {
    if (!expect(node, JsonNode::Kind::Object)) return;
    const JsonNode* key = node.find("key");
    const JsonNode* text = node.find("value");
    has_failed_ = has_failed_ || key == nullptr || text == nullptr;
    if (has_failed_) return;
    read_value(*key, tag.first);
    read_value(*text, tag.second);
  }
  template <class Value>
  void read_value(const JsonNode& node, std::optional<Value>& value) {
    read_value(node, value.emplace());
  }
  template <class Value>
  void read_value(const JsonNode& node, std::vector<Value>& list) {
    if (!expect(node, JsonNode::Kind::Array)) return;
    for (const JsonNode& element : node.elements()) read_value(element, list.emplace_back());
  }

  bool has_failed_ = false;
};

template <class Object>
std::string encode(const Object& object) {
  std::string text;
  JsonWriter out(text);
  Writer(out).object(object);
  return text;
}

template <class Object>
std::optional<Object> decode(std::string text) {
  Arena arena;
  const auto root = read_json(text, arena);
  if (!root || root->kind() != JsonNode::Kind::Object) return std::nullopt;
  Reader reader;
  Object object;
  reader.read_members(*root, object);
  if (reader.has_failed()) return std::nullopt;
  return object;
}

}  // namespace

std::string encode_table(const Table& table) { return encode(table); }
std::optional<Table> decode_table(std::string text) { return decode<Table>(std::move(text)); }

std::string encode_backup(const Backup& backup) { return encode(backup); }
std::optional<Backup> decode_backup(std::string text) { return decode<Backup>(std::move(text)); }

std::string encode_export(const ExportJob& job) { return encode(job); }
std::optional<ExportJob> decode_export(std::string text) {
  return decode<ExportJob>(std::move(text));
}

std::string encode_import(const ImportJob& job) { return encode(job); }
std::optional<ImportJob> decode_import(std::string text) {
  return decode<ImportJob>(std::move(text));
}

std::string encode_bulk_job(const BulkJob& job) { return encode(job); }
std::optional<BulkJob> decode_bulk_job(std::string text) {
  return decode<BulkJob>(std::move(text));
}

std::string encode_kinesis_stream(const KinesisStream& stream) { return encode(stream); }
std::optional<KinesisStream> decode_kinesis_stream(std::string text) {
  return decode<KinesisStream>(std::move(text));
}

}  // namespace stator

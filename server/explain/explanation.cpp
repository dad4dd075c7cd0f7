#include "server/explain/explanation.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/seams/iso_time.h"
#include "protocol/text/utf8.h"
#include "server/explain/requests/index_units.h"
#include "server/log/log_text.h"

namespace stator {

namespace {

using Part = RecentRequest::Part;

constexpr std::size_t kShownKeyBytesMax = 128;
// Of all changes of index entries that a dry run shows, and of one of them without its name.
constexpr std::size_t kIndexChangesBytesMax = 4096;
constexpr std::size_t kIndexChangeBytes = 90;
// Items of one request in a list.
constexpr std::size_t kListedItemsMax = 10;

// Makes valid UTF-8: clients may send any bytes, and a text may be cut within a character.
std::string valid_text(std::string_view text) {
  return is_valid_utf8(text) ? std::string(text) : log::escaped(text);
}

void put_known(JsonWriter& json, std::string_view name, std::string_view text) {
  if (!text.empty()) json.member(name, valid_text(text));
}

void put_beginning(JsonWriter& json, std::string_view name, std::string_view bytes_name,
                   const RecentRequest& request, Part part) {
  json.member(name, valid_text(request.text(part)));
  json.member(bytes_name, static_cast<std::int64_t>(request.whole_bytes(part)));
}

void write_client(JsonWriter& json, const RecentRequest& request) {
  if (request.text(Part::Agent).empty() && request.connection == 0) return;
  json.key("client");
  json.begin_object();
  put_known(json, "agent", request.text(Part::Agent));
  if (request.connection > 0)
    json.member("connection", static_cast<std::int64_t>(request.connection));
  json.end_object();
}

void write_items(JsonWriter& json, std::span<const TouchedItem> items) {
  const auto is_known = [](const TouchedItem& item) { return !item.key_json.empty(); };
  if (std::none_of(items.begin(), items.end(), is_known)) return;
  std::size_t count = 0;
  json.key("items");
  json.begin_array();
  for (const TouchedItem& item : items) {
    if (!is_known(item)) continue;
    if (++count > kListedItemsMax) break;
    json.begin_object();
    json.member("table", item.table);
    json.key("key");
    json.raw(item.key_json);
    if (item.size_bytes) json.member("bytes", static_cast<std::int64_t>(*item.size_bytes));
    json.end_object();
  }
  json.end_array();
}

void write_refusal(JsonWriter& json, const Refusal& refusal) {
  json.key("refused");
  json.begin_object();
  put_known(json, "rule", refusal.rule);
  put_known(json, "attribute", refusal.attribute);
  put_known(json, "expected", refusal.expected);
  put_known(json, "given", refusal.given);
  json.end_object();
}

void write_units(JsonWriter& json, std::int64_t units_milli) {
  json.key("units");
  json.decimal(static_cast<double>(units_milli) / 1000);
}

void write_indexes(JsonWriter& json, const RecentRequest& request) {
  const std::vector<IndexUse> uses = recorded_index_uses(request);
  if (uses.empty()) return;
  json.key("indexes");
  json.begin_array();
  for (const IndexUse& use : uses) {
    json.begin_object();
    json.member("table", use.table_name);
    json.member("index", use.index_name);
    write_units(json, use.units_milli);
    json.end_object();
  }
  json.end_array();
  if (!request.is_whole(Part::IndexUnits)) json.member("indexes_cut", true);
}

std::string_view end_name(ReadStats::End end) {
  switch (end) {
    case ReadStats::End::All:
      return "all was read";
    case ReadStats::End::Limit:
      return "Limit";
    case ReadStats::End::Bytes:
      return "1 MB";
    case ReadStats::End::FilterSteps:
      return "steps of the filter";
    case ReadStats::End::Throttling:
      return "throttling";
    case ReadStats::End::Fault:
      return "a fault on demand";
  }
  return {};
}

void write_read(JsonWriter& json, const RecentRequest& request) {
  const ReadStats& walked = request.walked;
  json.key("read");
  json.begin_object();
  json.member("way", walked.way == ReadStats::ReadKind::Scan ? "Scan" : "Query");
  put_known(json, "index", request.text(Part::Index));
  json.member("pages", std::int64_t{walked.pages});
  json.member("items_looked_at", walked.items_scanned);
  json.member("items_matched", walked.items_matched);
  json.member("bytes", walked.size_bytes);
  if (walked.pages > 0) json.member("ended_by", end_name(walked.end));
  json.end_object();
}

void write_fault(JsonWriter& json, const RecentRequest& request) {
  json.key("fault");
  json.begin_object();
  put_known(json, "rule", request.text(Part::Fault));
  json.member("effect", request.fault.effect);
  json.member("n", static_cast<std::int64_t>(request.fault.number));
  json.member("committed", request.fault.is_committed);
  json.end_object();
}

// Writes the cost, the read, the refusal and the hints.
void write_findings(JsonWriter& json, const RecentRequest& request, const Findings& findings) {
  write_units(json, request.units_milli);
  json.member("took_us", std::int64_t{request.took.count()});
  if (request.walked.way != ReadStats::ReadKind::None) write_read(json, request);
  put_known(json, request.is_throttled_in_part() ? "throttled" : "would_be_throttled",
            request.text(Part::Limits));
  if (request.has_fault()) write_fault(json, request);
  if (findings.refusal) write_refusal(json, *findings.refusal);
  json.key("hints");
  json.begin_array();
  for (const std::string& hint : findings.hints) json.string(valid_text(hint));
  json.end_array();
}

void write_sizes(JsonWriter& json, const DryRun::Sizes& sizes) {
  json.member("old_bytes", sizes.before_bytes);
  json.member("new_bytes", sizes.after_bytes);
}

std::string_view effect_name(const DryRun::IndexChange& change) {
  if (change.sizes.before_bytes == 0) return "added";
  if (change.sizes.after_bytes == 0) return "removed";
  return change.is_moved ? "moved" : "changed";
}

// Takes the bytes of what it writes from `room_bytes`; leaves out what has no room.
void write_index_changes(JsonWriter& json, std::span<const DryRun::IndexChange> changes,
                         std::size_t& room_bytes) {
  if (changes.empty()) return;
  bool is_whole = true;
  json.key("indexes");
  json.begin_array();
  for (const DryRun::IndexChange& change : changes) {
    const std::size_t bytes = change.index.size() + kIndexChangeBytes;
    is_whole = bytes <= room_bytes;
    if (!is_whole) break;
    room_bytes -= bytes;
    json.begin_object();
    json.member("index", change.index);
    json.member("entry", effect_name(change));
    write_sizes(json, change.sizes);
    write_units(json, change.units_milli);
    json.end_object();
  }
  json.end_array();
  if (!is_whole) json.member("indexes_cut", true);
}

void write_would(JsonWriter& json, const DryRun& would) {
  std::size_t room_bytes = kIndexChangesBytesMax;
  json.key("would");
  json.begin_object();
  json.member("items_changed", static_cast<std::int64_t>(would.item_count));
  json.key("items");
  json.begin_array();
  for (const DryRun::Change& change : would.changes) {
    json.begin_object();
    json.member("table", change.table);
    // A key may have 3 KiB, all keys together no more than the header.
    if (change.key_json.size() <= kShownKeyBytesMax) {
      json.key("key");
      json.raw(change.key_json);
    }
    write_sizes(json, change.sizes);
    write_units(json, change.units_milli);
    write_index_changes(json, change.indexes, room_bytes);
    if (change.stream_bytes) json.member("stream_bytes", *change.stream_bytes);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

constexpr std::string_view kHexDigits = "0123456789abcdef";

void append_escaped(std::string& out, std::uint32_t unit) {
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHexDigits[(unit >> shift) & 15];
}

// Escapes everything but printable ASCII, as a header requires.
std::string in_ascii(std::string_view json) {
  std::string out;
  for (std::size_t i = 0; i < json.size();) {
    const auto first = static_cast<unsigned char>(json[i]);
    if (first < 0x7F) {
      out += json[i++];
      continue;
    }
    const std::size_t more = first < 0xC0 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    std::uint32_t point = more == 0 ? first : first & (0x3Fu >> more);
    for (std::size_t k = 1; k <= more; ++k)
      point = point << 6 | (static_cast<unsigned char>(json[i + k]) & 0x3Fu);
    i += more + 1;
    if (point >= 0x10000) {
      append_escaped(out, 0xD800 + ((point - 0x10000) >> 10));
      point = 0xDC00 + ((point - 0x10000) & 0x3FF);
    }
    append_escaped(out, point);
  }
  return out;
}

}  // namespace

std::string_view origin_name(const RecentRequest& request) {
  if (request.is_of_console) return "console";
  return request.is_of_agent ? "mcp" : "client";
}

void write_summary(JsonWriter& json, const RecentRequest& request, const Findings& findings) {
  json.member("sequence", static_cast<std::int64_t>(request.number));
  json.member("request_id", request.text(Part::Id));
  json.member("time", iso_extended(request.time));
  json.member("origin", origin_name(request));
  write_client(json, request);
  put_known(json, "operation", request.text(Part::Operation));
  put_known(json, "table", request.text(Part::Table));
  put_known(json, "region", request.text(Part::Region));
  put_known(json, "access_key", request.text(Part::AccessKey));
  json.member("status", std::int64_t{request.status});
  put_known(json, "error", request.text(Part::Error));
  put_known(json, "message", request.text(Part::Message));
  write_items(json, findings.items);
  write_indexes(json, request);
  write_findings(json, request, findings);
}

void write_bodies(JsonWriter& json, const RecentRequest& request) {
  put_beginning(json, "request", "request_bytes", request, Part::Asked);
  if (!request.is_whole(Part::Asked)) json.member("cut", true);
  put_beginning(json, "answer", "answer_bytes", request, Part::Answered);
}

std::string header_text(const RecentRequest& request, const Findings& findings,
                        const DryRun* would) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_findings(json, request, findings);
  if (would != nullptr) write_would(json, *would);
  json.end_object();
  return in_ascii(text);
}

}  // namespace stator

#include "server/options/flag_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "engine/seams/iso_time.h"
#include "server/options/flag_words.h"
#include "server/options/server_address.h"

namespace stator {

namespace {

// "0.5", "86400"
template <class Duration>
std::string seconds(Duration duration) {
  std::array<char, 32> text;
  const double value = std::chrono::duration<double>(duration).count();
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  return {text.data(), end.ptr};
}

std::string clock_text(const ClockChoice& clock) {
  if (clock.at) return iso_extended(*clock.at);
  return clock.stands.value_or(false) ? "manual" : "real";
}

// With blanks between.
std::string words_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : " ").append(word);
  return text;
}

struct Row {
  std::string_view name;
  std::string (*value)(const Options& options);
};

constexpr Row kServerRows[] = {
    {"port", [](const Options& o) { return std::to_string(o.port); }},
    {"host", [](const Options& o) { return o.host; }},
    {"threads", [](const Options& o) { return std::to_string(o.threads); }},
    {"max-connections", [](const Options& o) { return std::to_string(o.connections_max); }},
    {"max-memory", [](const Options& o) { return std::to_string(o.memory_bytes_max); }},
    {"idle-timeout", [](const Options& o) { return seconds(o.idle_timeout); }},
    {"request-timeout", [](const Options& o) { return seconds(o.request_timeout); }},
    {"tls-cert", [](const Options& o) { return o.tls.certificate_file; }},
    {"tls-key", [](const Options& o) { return o.tls.key_file; }},
    {"tls",
     [](const Options& o) { return std::string(o.tls.is_self_signed ? "self-signed" : ""); }},
    {"tls-cert-out", [](const Options& o) { return o.tls.certificate_out; }},
    {"http-root",
     [](const Options& o) { return std::string(word_of(kRootAnswers, o.root_answer)); }},
    {"admin", [](const Options& o) { return std::string(word_of(kSwitches, o.has_admin_path)); }},
    {"console", [](const Options& o) { return std::string(word_of(kSwitches, o.has_console)); }},
    {"explain", [](const Options& o) { return std::to_string(o.requests_kept); }},
    {"explain-bytes", [](const Options& o) { return std::to_string(o.explain_bytes); }},
    {"faults",
     [](const Options& o) {
       return o.faults_file.empty() ? std::string(word_of(kSwitches, o.has_faults)) : o.faults_file;
     }},
    {"fault-seed",
     [](const Options& o) { return o.fault_seed ? std::to_string(*o.fault_seed) : std::string(); }},
    {"cors", [](const Options& o) { return o.origins.origins; }},
    {"allow-host", [](const Options& o) { return o.origins.hosts; }},
    {"check-signature-age",
     [](const Options& o) { return std::string(word_of(kSwitches, o.checks_signature_age)); }},
    {"auth", [](const Options& o) { return std::string(word_of(kAuthModes, o.auth)); }},
    {"access-file", [](const Options& o) { return o.access_file; }},
    {"access-file-insecure",
     [](const Options& o) { return std::string(word_of(kSwitches, o.is_access_file_insecure)); }},
    {"access-report", [](const Options& o) { return o.access_report_file; }},
    {"log-level", [](const Options& o) { return std::string(word_of(kLevels, o.log_level)); }},
    {"log-slow",
     [](const Options& o) { return o.slow_request ? seconds(*o.slow_request) : std::string(); }},
    {"log-format", [](const Options& o) { return std::string(word_of(kFormats, o.log_format)); }},
};

constexpr Row kDataRows[] = {
    {"db-path",
     [](const Options& o) {
       return o.settings.storage.folder ? o.settings.storage.folder->string() : std::string();
     }},
    {"s3-root", [](const Options& o) { return o.s3_root; }},
    {"s3-endpoint",
     [](const Options& o) { return o.s3_server ? address_text(*o.s3_server) : std::string(); }},
    {"kinesis-endpoint",
     [](const Options& o) {
       return o.kinesis_server ? address_text(*o.kinesis_server) : std::string();
     }},
    {"s3-timeout", [](const Options& o) { return seconds(o.s3_timeout); }},
    {"seed", [](const Options& o) { return o.seed_path; }},
    {"sync",
     [](const Options& o) { return std::string(word_of(kSyncs, o.settings.storage.sync)); }},
    {"sync-interval", [](const Options& o) { return seconds(o.settings.storage.sync_interval); }},
    {"max-bytes",
     [](const Options& o) { return std::to_string(o.settings.storage.map_bytes_max); }},
    {"item-collection-limit",
     [](const Options& o) { return std::to_string(o.settings.item_collection_bytes_max); }},
};

constexpr Row kBehaviourRows[] = {
    {"isolate",
     [](const Options& o) { return std::string(word_of(kIsolations, o.settings.isolation)); }},
    {"account-id", [](const Options& o) { return o.settings.account_id; }},
    {"error-wording",
     [](const Options& o) { return std::string(word_of(kWordings, o.settings.error_wording)); }},
    {"control-plane-delay",
     [](const Options& o) { return seconds(o.settings.control_plane_delay); }},
    {"gsi-delay", [](const Options& o) { return seconds(o.settings.gsi_delay); }},
    {"eventual-read-lag", [](const Options& o) { return seconds(o.settings.eventual_read_lag); }},
    {"transaction-time", [](const Options& o) { return seconds(o.settings.transaction_time); }},
    {"policy-lag", [](const Options& o) { return seconds(o.settings.policy_lag); }},
    {"throttling",
     [](const Options& o) { return std::string(word_of(kThrottlings, o.settings.throttling)); }},
    {"ttl-delay", [](const Options& o) { return seconds(o.settings.ttl_delay); }},
    {"ttl-sweep-interval", [](const Options& o) { return seconds(o.settings.ttl_sweep_interval); }},
    {"ttl-cooldown", [](const Options& o) { return seconds(o.settings.ttl_cooldown); }},
    {"stream-shards", [](const Options& o) { return std::to_string(o.settings.streams.shards); }},
    {"stream-rollover",
     [](const Options& o) { return seconds(o.settings.streams.rollover_after); }},
    {"stream-retention", [](const Options& o) { return seconds(o.settings.streams.retention); }},
    {"stream-max-bytes",
     [](const Options& o) { return std::to_string(o.settings.streams.bytes_max); }},
    {"pitr-max-bytes",
     [](const Options& o) { return std::to_string(o.settings.history_bytes_max); }},
    {"pitr-lag", [](const Options& o) { return seconds(o.settings.history_lag); }},
    {"function", [](const Options& o) { return words_of(o.triggers.function_texts); }},
    {"function-default", [](const Options& o) { return o.triggers.default_text; }},
    {"function-destination", [](const Options& o) { return words_of(o.triggers.sink_texts); }},
    {"lambda-strict",
     [](const Options& o) { return std::string(word_of(kSwitches, o.triggers.is_strict)); }},
    {"lambda-retry-backoff", [](const Options& o) { return seconds(o.triggers.retry_backoff); }},
    {"clock", [](const Options& o) { return clock_text(o.settings.clock); }},
};

std::string_view origin_of(const Options& options, std::string_view name) {
  const auto given = std::find_if(options.given.begin(), options.given.end(),
                                  [name](const GivenFlag& flag) { return flag.name == name; });
  if (given == options.given.end()) return "default";
  return given->is_variable ? "env" : "flag";
}

}  // namespace

std::vector<FlagValue> flag_values(const Options& options) {
  std::vector<FlagValue> values;
  const auto add = [&](const auto& rows) {
    for (const Row& row : rows)
      values.push_back({row.name, row.value(options), origin_of(options, row.name)});
  };
  add(kServerRows);
  add(kDataRows);
  add(kBehaviourRows);
  return values;
}

}  // namespace stator

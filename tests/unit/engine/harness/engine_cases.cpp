#include "tests/unit/engine/harness/engine_cases.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "protocol/errors/error.h"
#include "tests/unit/engine/harness/read_pages.h"
#include "tests/unit/engine/harness/table_text.h"
#include "tests/unit/engine/indexes/index_life.h"

namespace stator::test {
namespace {

using Microseconds = std::chrono::microseconds;

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<Microseconds> duration_of(std::string_view text) {
  const std::size_t unit = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto count = number_of(text.substr(0, unit));
  const std::map<std::string_view, std::int64_t> units{
      {"us", 1}, {"ms", 1000}, {"s", 1'000'000}, {"m", 60'000'000}, {"h", 3'600'000'000}};
  const auto found = units.find(text.substr(unit));
  if (!count || found == units.end()) return std::nullopt;
  return Microseconds(*count * found->second);
}

// `name=value`; false when there is no such setting.
bool set(Settings& settings, const std::string& assignment) {
  const std::size_t sign = std::min(assignment.find('='), assignment.size() - 1);
  const std::string name = assignment.substr(0, sign);
  const std::string value = assignment.substr(sign + 1);
  const std::map<std::string, Microseconds Settings::*> delays{
      {"control_plane_delay", &Settings::control_plane_delay},
      {"gsi_delay", &Settings::gsi_delay},
      {"eventual_read_lag", &Settings::eventual_read_lag},
      {"history_lag", &Settings::history_lag},
      {"policy_lag", &Settings::policy_lag},
      {"ttl_cooldown", &Settings::ttl_cooldown},
      {"ttl_delay", &Settings::ttl_delay},
      {"ttl_sweep_interval", &Settings::ttl_sweep_interval}};
  const std::map<std::string, Microseconds StreamLimits::*> stream_times{
      {"stream_retention", &StreamLimits::retention},
      {"stream_rollover", &StreamLimits::rollover_after}};
  const std::map<std::string, Isolation> isolations{
      {"none", Isolation::None}, {"region", Isolation::Region}, {"key", Isolation::Key}};
  const std::map<std::string, Throttling> throttlings{
      {"off", Throttling::Off}, {"observe", Throttling::Observe}, {"enforce", Throttling::Enforce}};
  const auto duration = duration_of(value);
  if (const auto delay = delays.find(name); delay != delays.end() && duration) {
    settings.*delay->second = *duration;
  } else if (const auto time = stream_times.find(name); time != stream_times.end() && duration) {
    settings.streams.*time->second = *duration;
  } else if (name == "stream_shards" && number_of(value)) {
    settings.streams.shards = static_cast<std::uint32_t>(*number_of(value));
  } else if (name == "stream_bytes_max" && number_of(value)) {
    settings.streams.bytes_max = static_cast<std::uint64_t>(*number_of(value));
  } else if (name == "history_bytes_max" && number_of(value)) {
    settings.history_bytes_max = static_cast<std::uint64_t>(*number_of(value));
  } else if (name == "item_collection_bytes_max" && number_of(value)) {
    settings.item_collection_bytes_max = *number_of(value);
  } else if (name == "wording" && value == "classic") {
    settings.error_wording = Profile::Classic;
  } else if (name == "wording" && value == "next") {
    settings.error_wording = Profile::Next;
  } else if (name == "throttling" && throttlings.count(value) != 0) {
    settings.throttling = throttlings.at(value);
  } else if (name == "isolation" && isolations.count(value) != 0) {
    settings.isolation = isolations.at(value);
  } else {
    return false;
  }
  return true;
}

// `SomeException: text + {…}` as it is answered.
std::optional<std::string> rendered_error(std::string_view text) {
  const std::size_t colon = std::min(text.find(": "), text.size());
  for (int i = 0; i <= static_cast<int>(ErrorCode::Throttling); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    if (error_info(code).name != text.substr(0, colon)) continue;
    std::string message(text.substr(std::min(colon + 2, text.size())));
    std::string members;
    if (const std::size_t plus = message.rfind(" + {"); plus != std::string::npos) {
      members = strict_json(message.substr(plus + 3));
      members = members.substr(1, members.size() - 2);
      message.resize(plus);
    }
    return Error(code, message).with_members(members).render();
  }
  return std::nullopt;
}

std::pair<std::string, std::string> first_word(const std::string& text) {
  const std::size_t space = std::min(text.find(' '), text.size());
  return {text.substr(0, space), text.substr(std::min(space + 1, text.size()))};
}

// What a step came to: what a call answered, or a text.
struct Outcome {
  Answer answer{true, {}, 0};
  bool is_call = false;
  std::optional<MaintenanceState> maintenance;
};

class Runner {
 public:
  explicit Runner(const CaseFile& file) : file_(file) {}

  CaseReport run() {
    for (const CaseLine& line : file_.lines) {
      line_ = &line;
      if (line.kind == CaseLine::Kind::Title) {
        begin(line.text);
      } else if (line.kind == CaseLine::Kind::Directive) {
        direct(line);
      } else if (title_.empty()) {
        setup_.push_back(&line);
      } else {
        if (engine_ == nullptr) start();
        step(line);
      }
    }
    if (title_.empty()) fail("no title");
    finish_title();
    return std::move(report_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(file_.name + ":" + std::to_string(line_->number) + ": " + what);
  }

  void finish_title() const {
    if (!title_.empty() && report_.count == count_before_) fail("a title that compares nothing");
  }

  void begin(const std::string& title) {
    finish_title();
    count_before_ = report_.count;
    title_ = title;
    engine_.reset();
    title_settings_ = settings_;
  }

  void start() {
    engine_ = std::make_unique<EngineDriver>(title_settings_);
    region_ = "us-east-1";
    key_ = "key";
    kept_.clear();
    const CaseLine* const first = line_;
    for (const CaseLine* line : setup_) step(*(line_ = line));
    line_ = first;
  }

  void direct(const CaseLine& line) {
    if (line.text == "settings") {
      if (engine_ != nullptr) fail("@settings come before the first step");
      for (const std::string& assignment : split(line.rest, " ")) {
        if (!set(title_.empty() ? settings_ : title_settings_, assignment)) {
          fail("no such setting: " + assignment);
        }
      }
    } else if (line.text == "verb") {
      const auto [word, meaning] = first_word(line.rest);
      verbs_[word] = meaning;
    } else {
      fail("no such directive: @" + line.text);
    }
  }

  std::string with_kept(std::string text) const {
    for (const auto& [name, value] : kept_) text = replace_all(text, "$" + name, value);
    return text;
  }

  void step(const CaseLine& line) {
    const Outcome outcome = done(line.text);
    if (line.expectations.empty() && outcome.is_call) {
      compare("ok", outcome.answer.ok ? "ok" : outcome.answer.json);
    }
    for (const std::string& expectation : line.expectations) check(with_kept(expectation), outcome);
  }

  std::string with_verbs(const std::string& text) const {
    const auto [word, rest] = first_word(text);
    const auto verb = verbs_.find(word);
    return verb == verbs_.end() ? text : with_verbs(replace_all(verb->second, "$*", rest));
  }

  Outcome done(const std::string& unresolved) {
    const std::string text = with_kept(unresolved);
    const auto [word, rest] = first_word(text);
    if (verbs_.count(word) != 0) return done(with_verbs(text));
    Outcome outcome;
    if (word == "times") return repeated(rest);
    if (word == "pages") return paged(rest);
    if (word == "keep") return kept(rest);
    if (word == "maintain") {
      outcome.maintenance = maintain(rest);
    } else if (word == "advance") {
      const auto duration = duration_of(rest);
      if (!duration) fail("no duration: " + rest);
      engine_->clock().advance(*duration);
    } else if (word == "reopen") {
      engine_->reopen();
    } else if (word == "caller") {
      const std::vector<std::string> names = split(rest, " ");
      if (names.size() != 2) fail("caller Region key");
      region_ = names[0];
      key_ = names[1];
    } else if (word == "warnings") {
      for (const std::string& warning : engine_->warnings) outcome.answer.json += warning + "\n";
    } else if (word == "content") {
      for (const std::string& item : content(*engine_, rest)) {
        outcome.answer.json.append(outcome.answer.json.empty() ? "" : ",").append(item);
      }
      outcome.answer.json = "[" + outcome.answer.json + "]";
    } else {
      outcome.answer = called(word, rest);
      outcome.is_call = true;
    }
    return outcome;
  }

  Answer called(const std::string& word, const std::string& rest) {
    try {
      return word == "table"
                 ? engine_->call("CreateTable", create_table_request(rest), region_, key_)
                 : engine_->call(word, strict_json(rest), region_, key_);
    } catch (const std::runtime_error& problem) {
      fail(problem.what());
    }
  }

  Outcome repeated(const std::string& rest) {
    const auto [times, repeated_step] = first_word(rest);
    const std::vector<std::string> bounds = split(times, "..");
    const auto first = number_of(bounds.size() == 2 ? bounds[0] : "0");
    const auto last = number_of(bounds.back());
    if (!first || !last || repeated_step.empty()) fail("times N step, or times N..M step");
    const std::int64_t end = bounds.size() == 2 ? *last + 1 : *last;
    for (std::int64_t i = *first; i < end; ++i) {
      Outcome outcome = done(replace_all(repeated_step, "%", std::to_string(i)));
      if (!outcome.answer.ok || i + 1 == end) return outcome;
    }
    fail("no times at all");
  }

  Outcome kept(const std::string& rest) {
    const auto [name, path_and_step] = first_word(rest);
    const auto [path, step] = first_word(path_and_step);
    if (!path.starts_with('.') || step.empty()) fail("keep name .Member step");
    Outcome outcome = done(step);
    std::string found = outcome.answer.json;
    for (const std::string& member : split(path.substr(1), ".")) {
      found = Answer{true, found, 0}.member(member);
    }
    if (found.size() < 2) fail("there is no " + path + ": " + outcome.answer.json);
    kept_[name] = found.substr(1, found.size() - 2);
    return outcome;
  }

  // What one page answers, when pages of every size, and backwards, come to the same.
  Outcome paged(const std::string& rest) {
    const std::string step = with_verbs(rest);
    const auto [operation, relaxed] = first_word(step);
    std::string body = strict_json(relaxed);
    INFO(file_.name << ":" << line_->number);
    Outcome whole = done(step);
    auto items = items_of(whole.answer);
    const std::size_t scanned = std::stoul(whole.answer.member("ScannedCount"));
    body.pop_back();
    for (const char* order : {"", R"(,"ScanIndexForward":false)"}) {
      if (*order != '\0' && operation != "Query") break;
      for (std::size_t limit = 1; limit <= scanned + 1; ++limit) {
        const Pages pages = read_pages(*engine_, operation, body + order, limit);
        // A page that ends exactly with the range does not know it.
        compare("the same",
                pages.items == items ? "the same" : "not the same, limit " + std::to_string(limit));
        compare(std::to_string(scanned / limit + 1) + " pages",
                std::to_string(pages.count) + " pages");
      }
      std::reverse(items.begin(), items.end());
    }
    for (const std::size_t total : {2U, 3U, 16U}) {
      if (operation != "Scan") break;
      std::vector<std::string> parts;
      for (std::size_t segment = 0; segment < total; ++segment) {
        const std::string in_segment = body + R"(,"TotalSegments":)" + std::to_string(total) +
                                       R"(,"Segment":)" + std::to_string(segment);
        const Pages pages = read_pages(*engine_, operation, in_segment, 2);
        parts.insert(parts.end(), pages.items.begin(), pages.items.end());
      }
      compare("the same", parts == items_of(whole.answer)
                              ? "the same"
                              : "not the same in segments, of " + std::to_string(total));
    }
    return whole;
  }

  MaintenanceState maintain(const std::string& rest) {
    if (rest.empty()) return engine_->maintain();
    if (rest == "all") {
      for (;;) {
        const MaintenanceState state = engine_->maintain();
        if (!state.is_due) return state;
      }
    }
    const auto records = number_of(rest);
    if (!records) fail("maintain, maintain all, or maintain and a number of records");
    return engine_->maintain({.records_max = static_cast<std::size_t>(*records)});
  }

  void check(const std::string& expectation, const Outcome& outcome) {
    const Answer& answer = outcome.answer;
    const char first = expectation.front();
    if (outcome.maintenance) {
      compare(expectation, text_of(*outcome.maintenance));
    } else if (first == '.') {
      check_member(expectation.substr(1), answer);
    } else if (first == '{' || first == '[') {
      compare(strict_json(expectation), answer.json);
    } else if (expectation.starts_with("milliunits = ")) {
      compare(expectation.substr(13), std::to_string(answer.units_milli));
    } else if (expectation.starts_with("items ")) {
      check_items(expectation.substr(6), answer);
    } else if (expectation.starts_with("records")) {
      compare(expectation, records_in(answer));
    } else if (expectation.starts_with("states ")) {
      compare(expectation.substr(7), states_in(answer));
    } else if (expectation == "ok") {
      compare("ok", answer.ok ? "ok" : answer.json);
    } else if (const auto error = rendered_error(expectation)) {
      compare(*error, answer.json);
    } else if (expectation.starts_with("text ")) {
      compare(expectation.substr(5) + "\n", answer.json);
    } else if (expectation == "nothing") {
      compare("", answer.json);
    } else {
      fail("no such expectation: " + expectation);
    }
  }

  void check_member(const std::string& expectation, const Answer& answer) {
    const std::vector<std::string> words = split(expectation, " ");
    if (words.size() < 3 || (words[1] != "=" && words[1] != "~")) fail(".name = value, or ~");
    std::string found = answer.ok ? answer.json : "";
    for (const std::string& name : split(words[0], ".")) {
      found = Answer{true, found, 0}.member(name);
    }
    const std::string expected = strict_json(expectation.substr(words[0].size() + 3));
    if (words[1] == "~") {
      compare(expected, found.find(expected) == std::string::npos ? answer.json : expected);
    } else {
      compare(expected == "\"nothing\"" ? "" : expected, answer.ok ? found : answer.json);
    }
  }

  // Of GetRecords.
  static std::string records_in(const Answer& answer) {
    if (!answer.ok) return answer.json;
    std::string text = "records";
    for (const std::string& element : elements_of(answer.member("Records"))) {
      const Answer record{true, element, 0};
      std::string name = record.member("eventName");
      std::erase(name, '"');
      text += " " + name + ":" + record.member("SizeBytes");
      if (!record.member("NewImage").empty()) text += ":new";
      if (!record.member("OldImage").empty()) text += ":old";
      if (!record.member("userIdentity").empty()) text += ":service";
    }
    return text + (answer.member("NextShardIterator").empty() ? " end" : "");
  }

  void check_items(const std::string& expectation, const Answer& answer) {
    const std::size_t colon = expectation.find(':');
    if (colon == std::string::npos) fail("items attribute: values");
    const std::string attribute = expectation.substr(0, colon);
    std::string values = attribute + ":";
    for (const std::string& item : elements_of(answer.member("Items"))) {
      const std::string value = Answer{true, item, 0}.member(attribute);
      const std::size_t begin = value.find(':') + 2;
      values += " " + (value.empty() ? "?" : value.substr(begin, value.size() - begin - 2));
    }
    compare(expectation, answer.ok ? values : answer.json);
  }

  std::string text_of(const MaintenanceState& state) const {
    if (state.is_due) return "due";
    if (!state.next_due) return "idle";
    for (const char* unit : {"h", "s", "ms", "us"}) {
      for (std::int64_t count = 1; count < 1000; ++count) {
        const std::string text = std::to_string(count) + unit;
        if (engine_->clock().now().plus(*duration_of(text)) == *state.next_due) {
          return "idle until " + text;
        }
      }
    }
    return "idle until another time";
  }

  void compare(std::string_view expected, std::string_view actual) {
    report_.compare(file_, *line_, title_, expected, actual);
  }

  const CaseFile& file_;
  const CaseLine* line_ = nullptr;
  std::string title_;
  std::vector<const CaseLine*> setup_;
  std::map<std::string, std::string> verbs_;
  std::map<std::string, std::string> kept_;
  Settings settings_;        // of the file
  Settings title_settings_;  // and of the title
  std::unique_ptr<EngineDriver> engine_;
  std::string region_;
  std::string key_;
  CaseReport report_;
  std::size_t count_before_ = 0;  // the title
};

}  // namespace

CaseReport run_engine_cases(const CaseFile& file) { return Runner(file).run(); }

}  // namespace stator::test

#include "server/cli/client/client_options.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "server/cli/client/client_command.h"
#include "server/cli/client/client_help.h"
#include "server/cli/client/diff.h"
#include "server/cli/client/filter_text.h"
#include "server/cli/client/sort_condition.h"
#include "server/cli/client/sql_lines.h"
#include "server/cli/client/table_commands.h"
#include "server/cli/client/watch.h"
#include "server/data/data_flags.h"
#include "server/options/argument_errors.h"

namespace stator::client {

namespace {

using Arguments = std::span<const std::string_view>;
using Read = tl::expected<Command, OptionsExit>;

constexpr std::uint64_t kLimitMax = 1'000'000'000;

constexpr Word<OutputFormat> kOutputFormats[] = {{"table", OutputFormat::Table},
                                                 {"json", OutputFormat::Json},
                                                 {"jsonl", OutputFormat::JsonLines},
                                                 {"dynamodb-json", OutputFormat::DynamodbJson},
                                                 {"csv", OutputFormat::Csv}};
constexpr Word<ChangeFormat> kChangeFormats[] = {{"text", ChangeFormat::Text},
                                                 {"jsonl", ChangeFormat::Json},
                                                 {"dynamodb-json", ChangeFormat::DynamodbJson}};

constexpr Word<std::string_view> kStreamViews[] = {{"KEYS_ONLY", "KEYS_ONLY"},
                                                   {"NEW_IMAGE", "NEW_IMAGE"},
                                                   {"OLD_IMAGE", "OLD_IMAGE"},
                                                   {"NEW_AND_OLD_IMAGES", "NEW_AND_OLD_IMAGES"}};

template <class T, std::size_t N>
void add_word_flag(CLI::App& app, const std::string& name, const Word<T> (&words)[N], T& target) {
  take_word(*app.add_option_function<std::string>(name, [](const std::string&) {}), words, target);
}

// The flags that several commands have, and how a command becomes one that runs.
class ClientFlags {
 public:
  ClientFlags() : data_{app_} {}

  CLI::App& app() { return app_; }

  void add_table(bool is_needed = true) {
    app_.add_option("TABLE", table);
    needs_table_ = is_needed;
  }
  void add_key(KeyWords& words) {
    add_table();
    partition_ = app_.add_option("PK", words.partition);
    app_.add_option("SK", words.sort);
  }
  void add_partition(std::string& value) {
    add_table();
    partition_ = app_.add_option("PK", value);
  }
  void add_output() {
    add_word_flag(app_, "--output", kOutputFormats, options.output.format);
    app_.add_flag("--full", options.output.is_full);
  }
  void add_cost() {
    app_.add_flag("--units", options.flags.wants_units);
    app_.add_flag("--explain", options.explains);
  }
  void add_consistent() { app_.add_flag("--consistent", options.flags.is_consistent); }
  void add_limit() {
    app_.add_option("--limit", options.limit)->check(number_between(std::uint64_t{1}, kLimitMax));
  }

  // Returns false if the user wants help. Throws CLI::ValidationError.
  bool parse(Arguments arguments) {
    if (!data_.parse(arguments)) return false;
    if (needs_table_ && table.empty()) throw CLI::ValidationError("TABLE", "is missing");
    if (partition_ != nullptr && partition_->count() == 0)
      throw CLI::ValidationError("PK", "is missing");
    return true;
  }

  // An endpoint that a word of the command names. Throws CLI::ValidationError.
  data::Endpoint endpoint_at(const std::string& url, const std::string& word) const {
    return data_.endpoint_at(url, word);
  }

  // `run` gets the options with the endpoint.
  template <class Run>
  Command command(Run run) const {
    return DataCommand{[chosen = options, endpoint = data_.endpoint({}),
                        run = std::move(run)](const FindServer& find_server) mutable {
      chosen.endpoint = endpoint(find_server);
      chosen.endpoint.asks_why = true;
      return run(chosen);
    }};
  }

  std::string table;
  ClientOptions options;

 private:
  CLI::App app_;
  data::DataFlags data_;
  CLI::Option* partition_ = nullptr;
  bool needs_table_ = false;
};

Read help_of(std::initializer_list<std::string_view> parts) {
  std::string help;
  for (const std::string_view part : parts) help += part;
  return tl::unexpected(OptionsExit{0, help + std::string{kServerHelp}});
}

Read read_tables(Arguments arguments) {
  ClientFlags flags;
  flags.add_table(/*is_needed=*/false);
  flags.add_output();
  if (!flags.parse(arguments)) return help_of({kTablesHelp, kOutputHelp});
  return flags.command(
      [table = flags.table](const ClientOptions& options) { return run_tables(options, table); });
}

Read read_describe(Arguments arguments) {
  ClientFlags flags;
  flags.add_table();
  if (!flags.parse(arguments)) return help_of({kDescribeHelp});
  return flags.command(
      [table = flags.table](const ClientOptions& options) { return run_describe(options, table); });
}

Read read_create(Arguments arguments) {
  ClientFlags flags;
  CreateWords words;
  flags.add_partition(words.partition);
  flags.app().add_option("SK", words.sort);
  flags.app().add_option("--index", words.indexes)->allow_extra_args(false);
  add_word_flag(flags.app(), "--stream", kStreamViews, words.stream);
  flags.app().add_option("--ttl", words.expiry);
  if (!flags.parse(arguments)) return help_of({kCreateHelp});
  if (const auto table = table_of(words); !table)
    throw CLI::ValidationError("create", table.error());
  return flags.command([table = flags.table, words](const ClientOptions& options) {
    return run_create(options, table, words);
  });
}

Read read_get(Arguments arguments) {
  ClientFlags flags;
  KeyWords words;
  flags.add_key(words);
  flags.add_consistent();
  flags.add_output();
  flags.add_cost();
  if (!flags.parse(arguments)) return help_of({kGetHelp, kOutputHelp, kCostHelp});
  flags.options.output.is_one_item = true;
  return flags.command([table = flags.table, words](const ClientOptions& options) {
    return run_get(options, table, words);
  });
}

Read read_query(Arguments arguments) {
  ClientFlags flags;
  QueryWords words;
  std::string condition;
  flags.add_partition(words.partition);
  const CLI::Option* const sort = flags.app().add_option("--sk", condition);
  flags.app().add_option("--index", words.index);
  flags.app().add_flag("--desc", words.is_descending);
  flags.add_limit();
  flags.add_consistent();
  flags.add_output();
  flags.add_cost();
  if (!flags.parse(arguments)) return help_of({kQueryHelp, kOutputHelp, kCostHelp});
  if (sort->count() != 0) {
    auto read = read_sort_condition(condition);
    if (!read) throw CLI::ValidationError("--sk", read.error());
    words.sort = *std::move(read);
  }
  return flags.command([table = flags.table, words](const ClientOptions& options) {
    return run_query(options, table, words);
  });
}

Read read_scan(Arguments arguments) {
  ClientFlags flags;
  std::string expression;
  flags.add_table();
  flags.app().add_option("--filter", expression);
  flags.add_limit();
  flags.add_consistent();
  flags.add_output();
  flags.add_cost();
  if (!flags.parse(arguments)) return help_of({kScanHelp, kOutputHelp, kCostHelp});
  std::optional<FilterParts> filter;
  if (!expression.empty()) {
    auto read = read_filter(expression);
    if (!read) throw CLI::ValidationError("--filter", read.error());
    filter = *std::move(read);
  }
  return flags.command([table = flags.table, filter](const ClientOptions& options) {
    return run_scan(options, table, filter);
  });
}

Read read_put(Arguments arguments) {
  ClientFlags flags;
  PutWords words;
  flags.add_table();
  flags.app().add_option("JSON", words.json);
  flags.app().add_option("-f,--file", words.file);
  flags.app().add_flag("--typed", words.is_typed);
  flags.add_cost();
  if (!flags.parse(arguments)) return help_of({kPutHelp, kCostHelp});
  if (words.json.empty() && words.file.empty()) throw CLI::ValidationError("JSON", "is missing");
  if (!words.json.empty() && !words.file.empty())
    throw CLI::ValidationError("--file", "not together with JSON");
  return flags.command([table = flags.table, words](const ClientOptions& options) {
    return run_put(options, table, words);
  });
}

Read read_delete(Arguments arguments) {
  ClientFlags flags;
  KeyWords words;
  flags.add_key(words);
  flags.add_cost();
  if (!flags.parse(arguments)) return help_of({kDeleteHelp, kCostHelp});
  return flags.command([table = flags.table, words](const ClientOptions& options) {
    return run_delete(options, table, words);
  });
}

Read read_sql(Arguments arguments) {
  ClientFlags flags;
  std::string statement;
  flags.app().add_option("STATEMENT", statement);
  flags.add_limit();
  flags.add_consistent();
  flags.add_output();
  flags.add_cost();
  if (!flags.parse(arguments)) return help_of({kSqlHelp, kOutputHelp, kCostHelp});
  if (statement.empty()) return flags.command(run_sql_lines);
  return flags.command(
      [statement](const ClientOptions& options) { return run_sql(options, statement); });
}

Read read_watch(Arguments arguments) {
  ClientFlags flags;
  WatchWords words;
  bool is_from_start = false;
  flags.add_table();
  flags.app().add_flag("--from-start", is_from_start);
  flags.app().add_flag("--once", words.ends_at_latest);
  add_word_flag(flags.app(), "--output", kChangeFormats, words.format);
  if (!flags.parse(arguments)) return help_of({kWatchHelp});
  if (is_from_start) words.start = StreamStart::Oldest;
  return flags.command([table = flags.table, words](const ClientOptions& options) {
    return run_watch(options, table, words);
  });
}

// What `stator watch` shows, from the oldest record on.
Read read_stream(Arguments arguments) {
  ClientFlags flags;
  WatchWords words{.start = StreamStart::Oldest};
  bool is_followed = false;
  flags.add_table();
  flags.app().add_flag("--follow", is_followed);
  add_word_flag(flags.app(), "--output", kChangeFormats, words.format);
  if (!flags.parse(arguments)) return help_of({kStreamHelp});
  words.ends_at_latest = !is_followed;
  return flags.command([table = flags.table, words](const ClientOptions& options) {
    return run_watch(options, table, words);
  });
}

DiffSide read_side(const std::string& word, const ClientFlags& flags) {
  std::string url;
  DiffSide side = read_diff_side(word, url);
  if (url.empty() && word.find("://") != std::string::npos)
    throw CLI::ValidationError("'" + word + "' is no table and no file; an address is " +
                               "endpoint:http://HOST:PORT/TABLE");
  if (!url.empty()) side.endpoint = flags.endpoint_at(url, word);
  return side;
}

Read read_diff(Arguments arguments) {
  constexpr std::size_t kSides = 2;
  ClientFlags flags;
  DiffWords words;
  std::vector<std::string> sides;
  std::vector<std::string> ignored;
  flags.app().add_option("SIDE", sides);
  flags.app().add_option("--key", words.key);
  flags.app().add_option("--ignore", ignored)->delimiter(',')->allow_extra_args(false);
  add_word_flag(flags.app(), "--output", kChangeFormats, words.format);
  if (!flags.parse(arguments)) return help_of({kDiffHelp});
  if (sides.size() != kSides) throw CLI::ValidationError("diff", "needs two sides");
  words.first = read_side(sides[0], flags);
  words.second = read_side(sides[1], flags);
  words.ignored = {ignored.begin(), ignored.end()};
  if (words.first.file == "-" && words.second.file == "-")
    throw CLI::ValidationError("diff", "stdin is one side only");
  if (!words.key.empty() && !data::info_of_key(words.key))
    throw CLI::ValidationError("--key", "'" + words.key + "' is not NAME:TYPE[,NAME:TYPE]");
  if (words.key.empty() && !words.first.file.empty() && !words.second.file.empty())
    throw CLI::ValidationError("--key", "is missing, and files do not say what their key is");
  return flags.command([words](const ClientOptions& options) { return run_diff(options, words); });
}

}  // namespace

bool is_command(std::string_view word) {
  return std::find(kCommands.begin(), kCommands.end(), word) != kCommands.end();
}

Read read_client_options(std::string_view command, Arguments arguments) {
  if (command == "tables") return read_tables(arguments);
  if (command == "describe") return read_describe(arguments);
  if (command == "create") return read_create(arguments);
  if (command == "get") return read_get(arguments);
  if (command == "query") return read_query(arguments);
  if (command == "scan") return read_scan(arguments);
  if (command == "put") return read_put(arguments);
  if (command == "delete") return read_delete(arguments);
  if (command == "stream") return read_stream(arguments);
  if (command == "diff") return read_diff(arguments);
  return command == "sql" ? read_sql(arguments) : read_watch(arguments);
}

}  // namespace stator::client

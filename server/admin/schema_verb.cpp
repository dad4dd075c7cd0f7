// /_stator/tables/NAME/schema: a table as a template, as `stator schema` writes it.
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

#include "engine/api/engine.h"
#include "engine/api/operation_table.h"
#include "engine/api/table_view.h"
#include "protocol/json/json_reader.h"
#include "server/admin/named_table.h"
#include "server/admin/verbs.h"
#include "server/data/transfer/table_info.h"
#include "server/data/transfer/table_schema.h"
#include "server/http/query_text.h"
#include "server/templates/plan/endpoint_table.h"
#include "server/templates/schema/schema_form.h"

namespace stator {

namespace {

using Format = Word<templates::SchemaForm>;

struct SchemaQuery {
  TableChoice choice;
  const Format* format = nullptr;  // nullptr: none that is known
};

std::string formats_text() {
  std::string text;
  for (const Format& word : templates::kFormWords)
    text.append(text.empty() ? "the parameter format is one of " : ", ").append(word.text);
  return text;
}

SchemaQuery read_schema_query(std::string_view text) {
  SchemaQuery query;
  for_each_parameter(text, [&](std::string_view name, std::string_view value) {
    query.choice.read(name, value);
    if (name != "format") return true;
    const auto* const found = std::find_if(
        std::begin(templates::kFormWords), std::end(templates::kFormWords),
        [word = percent_decoded(value)](const Format& one) { return one.text == word; });
    query.format = found != std::end(templates::kFormWords) ? found : nullptr;
    return query.format != nullptr;
  });
  return query;
}

// Asks the engine what a client asks an endpoint, as a caller of the table's Region and access key.
class EngineAnswers {
 public:
  EngineAnswers(const AdminParts& parts, Engine::Reader& reader, const TableLabel& label)
      : parts_(parts), reader_(reader), label_(label) {}

  // REQUIRES: the operation reads. The answer lives until the next one.
  tl::expected<JsonNode, data::Failure> ask(std::string_view operation, std::string_view body) {
    const auto failure = [](const Error& error) {
      return tl::unexpected(
          data::Failure{std::string(error_info(error.code()).name), error.message()});
    };
    Call call;
    call.caller.region = label_.region;
    call.caller.access_key = label_.access_key;
    call.operation = parts_.operations.find(std::string("DynamoDB_20120810.").append(operation));
    if (call.operation == nullptr) return failure(Error::unknown_operation());
    std::string sent(body);  // is read in place
    const auto read = read_json(sent, call.arena);
    if (!read) return failure(Error::serialization());
    if (const auto parsed = parts_.engine.parse(*read, call); !parsed)
      return failure(parsed.error());
    if (const auto done = parts_.engine.read(call, reader_); !done) return failure(done.error());
    arena_.reset();
    answer_ = std::move(call.reply);
    const auto answer = read_json(answer_, arena_);
    if (!answer) return failure(Error::internal_server_error());
    return *answer;
  }

 private:
  const AdminParts& parts_;
  Engine::Reader& reader_;
  const TableLabel& label_;
  std::string answer_;
  Arena arena_;
};

AdminResponse schema_answer(const Format& format, const templates::TableShape& table) {
  const auto text = templates::schema_text(format.value, {table});
  if (!text) return admin_error(400, text.error());
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.member("format", format.text);
  json.member("text", *text);
  if (const std::string note = templates::schema_note(format.value, table); !note.empty())
    json.member("note", note);
  json.end_object();
  return answer;
}

}  // namespace

AdminResponse show_schema(AdminRequest& request) {
  const SchemaQuery query = read_schema_query(request.query);
  if (query.format == nullptr) return admin_error(400, formats_text());
  NamedTable found;
  std::string arn;
  Engine::Reader reader(request.parts.engine);
  const auto looked =
      request.parts.engine.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
        found = find_named_table(TableView(snapshot), percent_decoded(request.name), query.choice,
                                 request.parts.settings.isolation);
        if (found.table != nullptr) arn = found.table->arn();
        return {};
      });
  if (!looked) return admin_error(500, looked.error().message());
  if (arn.empty()) return std::move(found.refusal);
  EngineAnswers answers(request.parts, reader, found.label);
  const auto state = templates::read_state_now(
      [&answers](std::string_view operation, std::string_view body) {
        return answers.ask(operation, body);
      },
      found.label.table, arn, {.recovery = true, .policy = true, .kinesis = true});
  if (!state && state.error().code == data::kNoTable) return admin_error(404, kNoSuchTableText);
  if (!state) return admin_error(500, state.error().text());
  return schema_answer(*query.format, state->shape);
}

}  // namespace stator

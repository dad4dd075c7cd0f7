// Rules as text: what is read, and which mistakes get which words.
#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/server/faults/read_rule_from.h"

namespace stator {
namespace {

using test::read_rule_from;
using test::rule_from;

struct Mistake {
  const char* rule;
  const char* words;  // in the error
};

TEST_CASE("fault rules: every mistake has its words", "[server]") {
  const Mistake mistakes[] = {
      {"[]", "a rule is to be an object"},
      {"{}", "a rule is to have an effect"},
      {"{'effect':{}}", "effect is to have one of"},
      {"{'effect':{'error':'ThrottlingException','drop':'after'}}", "one of error, cancel"},
      {"{'efect':{'drop':'after'}}", "no member 'efect', did you mean effect?"},
      {"{'effect':{'drop':'after'},'effect':{'drop':'after'}}", "two members 'effect'"},
      {"{'name':'a/b','effect':{'drop':'after'}}", "a name is to be 1 to 64"},
      {"{'match':{'operation':'PutItm'},'effect':{'drop':'after'}}", "did you mean PutItem?"},
      {"{'match':{'operation':[]},'effect':{'drop':'after'}}", "1 to 100 elements"},
      {"{'match':{'key':{}},'effect':{'drop':'after'}}", "key is to be an object"},
      {"{'match':{'key':{'n':{}}},'effect':{'drop':'after'}}", "a range has from"},
      {"{'match':{'header':{}},'effect':{'drop':'after'}}", "header is to be an object"},
      {"{'match':{'header':{'x-test':7}},'effect':{'drop':'after'}}", "header is to be a string"},
      {"{'match':{'consistent':'no'},'effect':{'drop':'after'}}", "is to be true or false"},
      {"{'when':{'nth':0},'effect':{'drop':'after'}}", "nth is to be a whole number from 1"},
      {"{'when':{'times':1.5},'effect':{'drop':'after'}}", "times is to be a whole number"},
      {"{'when':{'probability':2},'effect':{'drop':'after'}}", "a number from 0 to 1"},
      {"{'when':{'from':'soon'},'effect':{'drop':'after'}}", "from is to be a time"},
      {"{'when':{'count_by':'key'},'effect':{'drop':'after'}}", "the attributes of match's key"},
      {"{'when':{'count_by':'table'},'effect':{'drop':'after'}}", "one of all, client, key"},
      {"{'effect':{'delay':'2h'}}", "at most an hour"},
      {"{'effect':{'delay':'1s','clock':'wall'}}", "one of wire, engine"},
      {"{'effect':{'delay':{'uniform':['2s','1s']}}}", "the shorter one"},
      {"{'effect':{'error':'ThrotlingException'}}", "did you mean ThrottlingException?"},
      {"{'effect':{'error':'ResourceInUseException'}}", "needs a message"},
      {"{'effect':{'error':'TransactionCanceledException'}}", "write {\"cancel\""},
      {"{'effect':{'error':{'type':'InternalServerError','status':418}}}",
       "status is to be one of"},
      {"{'effect':{'error':{'type':'ThrottlingException',"
       "'reasons':['TableWriteProvisionedThroughputExceeded']}}}",
       "belongs to ProvisionedThroughputExceededException"},
      {"{'match':{'operation':'Scan'},'effect':{'error':'ConditionalCheckFailedException'}}",
       "the service has no ConditionalCheckFailedException for these operations"},
      {"{'match':{'operation':'PutItem'},'effect':{'cancel':{'0':'TransactionConflict'}}}",
       "cancel is only for transactions"},
      {"{'effect':{'cancel':{'100':'TransactionConflict'}}}", "from 0 to 99"},
      {"{'effect':{'cancel':{'0':'Nonsense'}}}", "no such reason of a cancellation"},
      {"{'effect':{'how':'rst','delay':'1s'}}", "how goes with drop"},
      {"{'effect':{'unprocessed':[]}}", "1 to 100 positions"},
      {"{'effect':{'unprocessed':[100]}}", "from 0 to 99"},
      {"{'effect':{'unprocessed':{}}}", "unprocessed is to have one member"},
      {"{'effect':{'unprocessed':{'fraction':0}}}", "fraction is to be more than 0"},
      {"{'effect':{'unprocessed':{'fraction':1.5}}}", "fraction is to be a number from 0 to 1"},
      {"{'effect':{'unprocessed':'all'}}", "the only word is matching"},
      {"{'match':{'operation':'PutItem'},'effect':{'unprocessed':'matching'}}",
       "unprocessed is only for BatchGetItem, BatchWriteItem, BatchExecuteStatement"},
      {"{'match':{'operation':'BatchWriteItem'},'effect':{'unprocessed':[0],"
       "'type':'ThrottlingError'}}",
       "unprocessed is only for BatchExecuteStatement"},
      {"{'effect':{'unprocessed':[0],'type':'Nonsense'}}", "no such error of a statement"},
      {"{'effect':{'drop':'after','type':'ThrottlingError'}}", "type goes with unprocessed"},
      {"{'effect':{'page':{}}}", "page needs items"},
      {"{'effect':{'page':{'items':-1}}}", "items is to be a whole number from 0"},
      {"{'match':{'operation':'GetItem'},'effect':{'page':{'items':1}}}",
       "page is only for Query, Scan, ExecuteStatement"},
      {"{'effect':{'stream':'lost'}}", "one of expired, trimmed"},
      {"{'match':{'operation':'GetShardIterator'},'effect':{'stream':'trimmed'}}",
       "stream trimmed is only for GetRecords"},
      {"{'effect':{'token':'lost'}}", "one of forgotten, running, mismatch"},
      {"{'match':{'operation':'writes'},'effect':{'token':'running','drop':'after'}}",
       "effect is to have only one of"},
      {"{'match':{'operation':'PutItem'},'effect':{'token':'running'}}",
       "token running is only for TransactWriteItems, ExecuteTransaction"},
      {"{'effect':{'drip':{}}}", "drip needs bytes and every"},
      {"{'effect':{'drip':{'bytes':0,'every':'1s'}}}", "bytes is to be a whole number from 1"},
      {"{'effect':{'drop':'after','and_on':true}}", "and_on goes with a delay alone"},
      {"{'stage':'late','effect':{'drop':'after'}}", "one of arrival, valid"},
      {"{'stage':'arrival','effect':{'drop':'after'}}", "an error or a drop before the request"},
      {"{'stage':'arrival','effect':{'drop':'before','delay':'1s'}}", "an error or a drop before"},
      {"{'stage':'arrival','effect':{'delay':'1s'}}", "an error or a drop before"},
      {"{'stage':'arrival','match':{'table':'t'},'effect':{'drop':'before'}}", "no table, index"},
      {"{'stage':'arrival','match':{'operation':'reads'},'effect':{'drop':'before'}}",
       "nor whether it reads"},
      {"{'name':'presets','effect':{'drop':'after'}}", "cannot be named 'presets'"},
      {"{'name':'clear','effect':{'drop':'after'}}", "cannot be named 'clear'"},
      {"{'effect':{'stale':'0s'}}", "stale is to be more than nothing"},
      {"{'effect':{'stale':'2h'}}", "at most an hour"},
      {"{'match':{'operation':'writes'},'effect':{'stale':'2s'}}",
       "stale is only for reads of items"},
      {"{'match':{'operation':'TransactGetItems'},'effect':{'stale':'2s'}}",
       "stale is only for reads of items"},
      {"{'stage':'arrival','match':{'consistent':true},'effect':{'drop':'before'}}",
       "nor whether it reads"},
      {"{'effect':{'http':{}}}", "http needs a status"},
      {"{'effect':{'http':{'status':302}}}", "status is to be a whole number from 400"},
      {"{'effect':{'http':{'status':503,'headers':{'a b':'c'}}}}", "no header of an answer: 'a b'"},
      {"{'effect':{'http':{'status':503,'headers':{'a':'b\\r\\nc: d'}}}}",
       "no header of an answer: 'a'"},
      {"{'effect':{'http':{'status':503,'headers':{'Content-Length':'7'}}}}",
       "http sets the header content-length"},
  };
  for (const Mistake& mistake : mistakes) {
    CAPTURE(mistake.rule);
    const auto rule = read_rule_from(mistake.rule);
    REQUIRE_FALSE(rule);
    CHECK_THAT(rule.error(), Catch::Contains(mistake.words));
  }
}

// A rule at a bound, the same one beyond it, and the words that this one gets.
struct Bound {
  std::string at;
  std::string beyond;
  std::string words;
};

std::string effect(const std::string& text) { return "{'effect':" + text + "}"; }

// "7,7,7"
std::string sevens(std::size_t count) {
  std::string list = "7";
  for (std::size_t i = 1; i < count; ++i) list += ",7";
  return list;
}

// "'h1':'x','h2':'x'"
std::string members(std::size_t count) {
  std::string list;
  for (std::size_t i = 1; i <= count; ++i)
    list += (i == 1 ? "'h" : ",'h") + std::to_string(i) + "':'x'";
  return list;
}

std::string http(std::size_t headers) {
  return effect("{'http':{'status':503,'headers':{" + members(headers) + "}}}");
}

std::string reasons(std::size_t count) {
  std::string list = "'TableWriteProvisionedThroughputExceeded'";
  const std::string one = list;
  for (std::size_t i = 1; i < count; ++i) list += "," + one;
  return effect("{'error':{'type':'ProvisionedThroughputExceededException','reasons':[" + list +
                "]}}");
}

std::string with(const std::string& part, const std::string& text) {
  return "{'" + part + "':" + text + ",'effect':{'drop':'after'}}";
}

// A rule of this many bytes without its name.
std::string of_size(std::size_t bytes) {
  const std::string begin = "{'effect':{'error':{'type':'ValidationException','message':'";
  const std::string end = "'}}}";
  return begin + std::string(bytes - begin.size() - end.size(), 'x') + end;
}

const Bound kBounds[] = {
    {effect("{'delay':'1h'}"), effect("{'delay':'3601s'}"), "delay is to be at most an hour"},
    {effect("{'delay':{'uniform':['1s','1h']}}"), effect("{'delay':{'uniform':['1s','3601s']}}"),
     "uniform is to be at most an hour"},
    {effect("{'delay':{'lognormal':{'median':'1h','p99':'1h'}}}"),
     effect("{'delay':{'lognormal':{'median':'1h','p99':'3600001ms'}}}"),
     "p99 is to be at most an hour"},
    {effect("{'stale':'1h'}"), effect("{'stale':'3601s'}"), "stale is to be at most an hour"},
    {effect("{'drip':{'bytes':1,'every':'1h'}}"), effect("{'drip':{'bytes':1,'every':'3601s'}}"),
     "every is to be at most an hour"},
    {effect("{'drip':{'bytes':1000000,'every':'1s'}}"),
     effect("{'drip':{'bytes':1000001,'every':'1s'}}"),
     "bytes is to be a whole number from 1 to 1000000"},
    {effect("{'page':{'items':1000000}}"), effect("{'page':{'items':1000001}}"),
     "items is to be a whole number from 0 to 1000000"},
    {http(20), http(21), "headers is to be an object of at most 20 members"},
    {reasons(16), reasons(17), "reasons is to be a list of 1 to 16 reasons"},
    {effect("{'cancel':{'99':'TransactionConflict'}}"),
     effect("{'cancel':{'100':'TransactionConflict'}}"),
     "position in cancel is to be a whole number from 0 to 99"},
    {effect("{'unprocessed':[99]}"), effect("{'unprocessed':[100]}"),
     "position in unprocessed is to be a whole number from 0 to 99"},
    {effect("{'unprocessed':[" + sevens(100) + "]}"),
     effect("{'unprocessed':[" + sevens(101) + "]}"), "unprocessed is to have 1 to 100 positions"},
    {effect("{'unprocessed':{'count':100}}"), effect("{'unprocessed':{'count':101}}"),
     "count is to be a whole number from 1 to 100"},
    {effect("{'unprocessed':{'fraction':1}}"), effect("{'unprocessed':{'fraction':1.0001}}"),
     "fraction is to be a number from 0 to 1"},
    {with("when", "{'nth':[" + sevens(100) + "]}"), with("when", "{'nth':[" + sevens(101) + "]}"),
     "nth is to have 1 to 100 elements"},
    {with("when", "{'times':1000000000000}"), with("when", "{'times':1000000000001}"),
     "times is to be a whole number from 1 to 1000000000000"},
    {with("match", "{'table':'" + std::string(1024, 't') + "'}"),
     with("match", "{'table':'" + std::string(1025, 't') + "'}"),
     "table is to have at most 1024 bytes"},
    {with("match", "{'header':{" + members(100) + "}}"),
     with("match", "{'header':{" + members(101) + "}}"),
     "header is to be an object such as {\"x-test\": \"7\"}"},
    {with("match", "{'key':{" + members(100) + "}}"),
     with("match", "{'key':{" + members(101) + "}}"),
     "key is to be an object such as {\"pk\": \"user#*\"}"},
    {with("name", "'" + std::string(64, 'n') + "'"), with("name", "'" + std::string(65, 'n') + "'"),
     "a name is to be 1 to 64 of A-Z, a-z, 0-9, hyphen, underscore and dot"},
    {of_size(16 * 1024), of_size(16 * 1024 + 1), "a rule is to have at most 16 KiB"},
};

TEST_CASE("fault rules: bounds are reached, and not passed", "[server]") {
  for (const Bound& bound : kBounds) {
    CAPTURE(bound.words);
    const auto at = read_rule_from(bound.at);
    CHECK((at ? "" : at.error()) == "");
    const auto beyond = read_rule_from(bound.beyond);
    CHECK((beyond ? "" : beyond.error()) == bound.words);
  }
}

TEST_CASE("fault rules: a list has at most 256", "[server]") {
  const auto mistake = [](std::size_t count) {
    std::string text = "[";
    for (std::size_t i = 0; i < count; ++i)
      text += (i == 0 ? "" : ",") + std::string(R"({"effect":{"drop":"after"}})");
    text += "]";
    Arena arena;
    const auto rules = faults::read_rules(*read_json(text, arena), test::rule_operations().rows());
    return rules ? "" : rules.error();
  };
  CHECK(mistake(256).empty());
  CHECK(mistake(257) == "there are to be 1 to 256 rules");
  CHECK(mistake(0) == "there are to be 1 to 256 rules");
}

TEST_CASE("fault rules: members become values, the text stays without the name", "[server]") {
  const auto rule = rule_from(
      "{'name':'r1','match':{'operation':['PutItem','reads'],'table':'or*','index':''},"
      "'when':{'nth':[1,3],'times':2,'attempt':{'from':2},'for':'30s'},"
      "'effect':{'delay':'200ms','drop':'after','how':'rst'},'hidden':true}");
  CHECK(rule.name == "r1");
  REQUIRE(rule.match.operations.size() == 2);
  CHECK(rule.match.operations[1].group == faults::RequestGroup::Reads);
  CHECK(rule.match.index == "");
  CHECK(rule.when.nth == std::vector<std::uint64_t>{1, 3});
  CHECK(rule.when.attempt->from == 2);
  CHECK(rule.when.lasts == std::chrono::seconds(30));
  CHECK(rule.effect.delay->low == std::chrono::milliseconds(200));
  CHECK(rule.effect.name() == "drop after");
  CHECK(rule.is_hidden);
  CHECK_THAT(rule.text, Catch::StartsWith("{\"match\":{\"operation\":[\"PutItem\",\"reads\"]"));
}

TEST_CASE("fault rules: each error of the model that Stator knows can be asked for", "[server]") {
  for (const Operation& operation : test::rule_operations().rows()) {
    for (std::size_t i = 0; i < kErrorCodes; ++i) {
      const auto code = static_cast<ErrorCode>(i);
      if (code == ErrorCode::TransactionCanceled) continue;
      const std::string name(error_info(code).name);
      CAPTURE(std::string(operation.name), name);
      const auto rule =
          read_rule_from("{'match':{'operation':'" + std::string(operation.name) +
                         "'},'effect':{'error':{'type':'" + name + "','message':'m'}}}");
      CHECK(rule.has_value() == faults::can_answer(operation.name, code));
    }
  }
}

}  // namespace
}  // namespace stator

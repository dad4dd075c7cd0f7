// The words of SQL-92 and of PartiQL's own grammar, in their order. They are those of the
// language's reference implementation, without ONLY; the service's list is not published
// (conformance/observed/partiql.md 10).
#include "protocol/partiql/keywords.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "protocol/text/ascii_case.h"

namespace stator::partiql {
namespace {

constexpr std::size_t kLongestKeyword = 17;
// clang-format off
constexpr std::array<std::string_view, 222> kKeywords = {
    "absolute", "action", "add", "all", "allocate", "alter", "and", "any", "are", "as", "asc",
    "assertion", "at", "authorization", "avg", "begin", "between", "bit", "bit_length", "by",
    "cascade", "cascaded", "case", "cast", "catalog", "char", "char_length", "character",
    "character_length", "check", "close", "coalesce", "collate", "collation", "column", "commit",
    "connect", "connection", "constraint", "constraints", "continue", "convert", "corresponding",
    "count", "create", "cross", "current", "current_date", "current_time", "current_timestamp",
    "current_user", "cursor", "date", "date_add", "date_diff", "deallocate", "dec", "decimal",
    "declare", "default", "deferrable", "deferred", "delete", "desc", "describe", "descriptor",
    "diagnostics", "disconnect", "distinct", "domain", "double", "drop", "else", "end", "escape",
    "except", "exception", "exec", "execute", "exists", "external", "extract", "false", "fetch",
    "first", "float", "for", "foreign", "found", "from", "full", "get", "global", "go", "goto",
    "grant", "group", "having", "identity", "immediate", "in", "indicator", "initially", "inner",
    "input", "insensitive", "insert", "int", "integer", "intersect", "interval", "into", "is",
    "isolation", "join", "key", "language", "last", "left", "level", "like", "limit", "local",
    "lower", "match", "max", "min", "missing", "module", "names", "national", "natural", "nchar",
    "next", "no", "not", "null", "nullif", "numeric", "octet_length", "of", "on", "open",
    "option", "or", "order", "outer", "output", "overlaps", "pad", "partial", "pivot", "position",
    "precision", "prepare", "preserve", "primary", "prior", "privileges", "procedure", "public",
    "read", "real", "references", "relative", "remove", "restrict", "returning", "revoke", "right",
    "rollback", "rows", "schema", "scroll", "section", "select", "session", "session_user", "set",
    "size", "smallint", "some", "space", "sql", "sqlcode", "sqlerror", "sqlstate", "substring",
    "sum", "system_user", "table", "temporary", "then", "time", "timestamp", "to", "transaction",
    "translate", "translation", "trim", "true", "union", "unique", "unknown", "unpivot", "update",
    "upper", "usage", "user", "using", "value", "values", "varchar", "varying", "view", "when",
    "whenever", "where", "with", "work", "write", "zone"};
// clang-format on
static_assert(std::is_sorted(kKeywords.begin(), kKeywords.end()));

constexpr auto kFunctions = std::to_array<std::string_view>(
    {"avg",      "bit_length", "char_length",  "character_length", "coalesce", "count",
     "date_add", "date_diff",  "exists",       "extract",          "lower",    "max",
     "min",      "nullif",     "octet_length", "position",         "size",     "substring",
     "sum",      "trim",       "upper"});

}  // namespace

std::string_view find_keyword(std::string_view word) {
  if (word.size() > kLongestKeyword) return {};
  std::array<char, kLongestKeyword> lower{};
  std::transform(word.begin(), word.end(), lower.begin(), to_lower);
  const std::string_view wanted(lower.data(), word.size());
  const auto found = std::lower_bound(kKeywords.begin(), kKeywords.end(), wanted);
  return found != kKeywords.end() && *found == wanted ? *found : std::string_view();
}

bool is_function_keyword(std::string_view keyword) {
  return std::find(kFunctions.begin(), kFunctions.end(), keyword) != kFunctions.end();
}

}  // namespace stator::partiql

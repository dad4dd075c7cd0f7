#include "protocol/partiql/statement_cache.h"

#include "protocol/partiql/statement_parser.h"

namespace stator::partiql {

Result<std::shared_ptr<const ParsedStatement>> StatementCache::parse(std::string_view text) {
  Shard& shard = shards_[std::hash<std::string_view>()(text) % kShards];
  {
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.statements.find(text);
    if (found != shard.statements.end()) return found->second;
  }
  const auto parsed = std::make_shared<ParsedStatement>();
  parsed->text = text;
  STATOR_TRY(parsed->statement, parse_statement(parsed->text, parsed->arena));
  const std::size_t size_bytes = parsed->arena.capacity_bytes() + 2 * text.size();
  const std::lock_guard lock(shard.mutex);
  if (shard.bytes + size_bytes > bytes_max_) {
    shard.statements.clear();
    shard.bytes = 0;
  }
  if (shard.statements.emplace(parsed->text, parsed).second) shard.bytes += size_bytes;
  return std::shared_ptr<const ParsedStatement>(parsed);
}

}  // namespace stator::partiql

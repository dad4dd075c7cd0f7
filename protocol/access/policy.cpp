#include "protocol/access/policy.h"

#include "protocol/access/statement.h"

namespace stator::access {

PolicyKind Policy::kind() const { return compiled_->kind; }
std::string_view Policy::text() const { return compiled_->text; }
std::size_t Policy::statement_count() const { return compiled_->statements.size(); }
std::span<const std::string> Policy::keys() const { return compiled_->keys; }

}  // namespace stator::access

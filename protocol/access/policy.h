// A policy document (IAM's policy language), read once and then evaluated for many requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace stator::access {

// Where a document is used: that decides which elements its statements have.
enum class PolicyKind : std::uint8_t {
  Identity,  // of users, groups and roles, boundaries, session policies: no Principal
  Resource,  // of tables and streams: Principal and Resource
  Trust,     // of roles, who may assume them: Principal, no Resource
};

// The longest document that compile_policy() reads.
inline constexpr std::size_t kPolicyBytesMax = 20'480;

// Why a document is no policy.
struct PolicyFault {
  std::string text;   // "Effect must be Allow or Deny"
  std::string place;  // "Statement[2].Effect"; for broken JSON "byte 17"; empty: the document
};

struct CompiledPolicy;  // protocol/access/statement.h

// Immutable; copies share the compiled form, which owns all its text. May be used by several
// threads at once.
class Policy {
 public:
  explicit Policy(std::shared_ptr<const CompiledPolicy> compiled)
      : compiled_(std::move(compiled)) {}

  PolicyKind kind() const;
  // The document as it was given.
  std::string_view text() const;
  std::size_t statement_count() const;
  // Names of the condition keys and variables that the document uses, in lower case, sorted, each
  // once.
  std::span<const std::string> keys() const;
  // For the evaluator.
  const CompiledPolicy& compiled() const { return *compiled_; }

 private:
  std::shared_ptr<const CompiledPolicy> compiled_;
};

// Reads a document. Error: the first rule that it breaks.
tl::expected<Policy, PolicyFault> compile_policy(std::string_view json_text, PolicyKind kind);

}  // namespace stator::access

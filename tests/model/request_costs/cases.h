// The requests that a model of the limits takes for the dearest: each near what some limit allows,
// in the shape that makes the most work of it.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace stator::costs {

struct Case {
  std::string name;
  std::string operation;
  std::string body;
};

// How much of what the limits allow the cases use: 1 for all of it, less for programs that a
// sanitizer slows down.
struct Scale {
  double of_limits = 1;
  std::size_t item(std::size_t bytes = 385'000) const {
    return static_cast<std::size_t>(static_cast<double>(bytes) * of_limits);
  }
  std::size_t body() const { return item(16'000'000); }
};

using Random = std::mt19937_64;

inline constexpr const char* kTable = R"({"TableName":"ttt","BillingMode":"PAY_PER_REQUEST",)"
                                      R"("AttributeDefinitions":[)"
                                      R"({"AttributeName":"pk","AttributeType":"S"},)"
                                      R"({"AttributeName":"sk","AttributeType":"S"}],)"
                                      R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},)"
                                      R"({"AttributeName":"sk","KeyType":"RANGE"}]})";

// The request for table `iii`, which has as many index keys as there can be.
std::string table_of_indexes();

// What is stored before: a page of large items of every kind.
std::vector<Case> items(const Scale& scale);

// Filters and conditions over those items.
std::vector<Case> conditions(const Scale& scale, Random& random);
// Updates of them and projections.
std::vector<Case> updates(const Scale& scale, Random& random);
// Transactions on items of their own, which are stored before.
std::vector<Case> items_of_transactions(const Scale& scale);
std::vector<Case> transactions(const Scale& scale, Random& random);
// Bodies that are long, whatever is in them.
std::vector<Case> bodies(const Scale& scale, Random& random);

// ------------------------------------------------------------------------------------------------
// Pieces of requests

std::string repeated(const std::string& text, std::size_t count, const std::string& between = ",");
// `size` letters a, with one b at `place`.
std::string letters(std::size_t size, std::size_t place);
// `size` letters of the alphabet in no order, others for each `number`.
std::string prose(std::size_t size, std::size_t number);
// A text that is hard to search, of `size` letters a and b: "pairs" in no order and "sparse" with
// few letters b, others for each `number`; "overlaps", which repeats itself often and nowhere
// thrice (Thue and Morse), from letter `number` on.
std::string hard_text(const std::string& kind, std::size_t size, std::size_t number);
// The number in `width` digits.
std::string digits(std::size_t number, std::size_t width);

// An attribute value as JSON: a kind's usual content of about `size` billed bytes. With `differs`
// its last part is another.
std::string value_of(const std::string& kind, std::size_t size, bool differs = false);
// All kinds that value_of() knows.
const std::vector<std::string>& kinds();

// Terms joined up to the size that an expression may have.
class Expression {
 public:
  explicit Expression(std::string between) : between_(std::move(between)) {}
  // Whether there was room.
  bool add(const std::string& term) {
    const std::size_t size = text_.size() + term.size() + (text_.empty() ? 0 : between_.size());
    if (size > 4096 || terms_ == kTermsMax) return false;
    if (!text_.empty()) text_ += between_;
    text_ += term;
    ++terms_;
    return true;
  }
  const std::string& text() const { return text_; }
  std::size_t terms() const { return terms_; }

 private:
  static constexpr std::size_t kTermsMax = 150;  // with what joins them, the operators allowed
  std::string between_;
  std::string text_;
  std::size_t terms_ = 0;
};

}  // namespace stator::costs

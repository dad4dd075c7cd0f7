// Decimal: a number of the model, digit by digit, of any length. The service's 38 digits and its
// range are questions to ask, so that arithmetic can be exact first.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>

namespace stator::model {

class Decimal {
 public:
  Decimal() = default;  // zero
  // REQUIRES: `text` is a number: sign, digits with at most one point, exponent.
  explicit Decimal(std::string_view text);
  static Decimal of(std::size_t number) { return Decimal(std::to_string(number)); }

  // Without exponent, leading and trailing zeros.
  std::string plain() const;
  // The same value with an exponent.
  std::string scientific() const;

  // Billed bytes.
  std::size_t size_bytes() const;

  bool is_zero() const { return digits_.empty(); }
  bool is_too_large() const;  // or has too many digits
  bool is_too_small() const;

  Decimal negated() const;
  Decimal operator+(const Decimal& other) const;
  Decimal operator-(const Decimal& other) const { return *this + other.negated(); }

  std::strong_ordering operator<=>(const Decimal& other) const;
  bool operator==(const Decimal& other) const = default;

 private:
  void normalise();

  // The value is 0.DIGITS * 10^point_; neither end of the digits is 0, zero has none.
  bool is_negative_ = false;
  std::string digits_;
  int point_ = 0;
};

}  // namespace stator::model

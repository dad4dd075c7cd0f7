#include "tests/model/data_plane/oracle/decimal.h"

#include <algorithm>

namespace stator::model {
namespace {

constexpr std::size_t kDigitsMax = 38;
constexpr int kExponentMax = 125;   // of the first digit
constexpr int kExponentMin = -130;  // of the first digit

// Of two strings of digits with equal length.
std::string add_digits(const std::string& a, const std::string& b) {
  std::string sum(a.size() + 1, '0');
  int carry = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    const int column = (a[i] - '0') + (b[i] - '0') + carry;
    sum[i + 1] = static_cast<char>('0' + column % 10);
    carry = column / 10;
  }
  sum[0] = static_cast<char>('0' + carry);
  return sum;
}

// REQUIRES: a >= b, equal length.
std::string subtract_digits(const std::string& a, const std::string& b) {
  std::string difference(a.size(), '0');
  int borrow = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    int column = (a[i] - '0') - (b[i] - '0') - borrow;
    borrow = column < 0 ? 1 : 0;
    if (borrow != 0) column += 10;
    difference[i] = static_cast<char>('0' + column);
  }
  return difference;
}

}  // namespace

Decimal::Decimal(std::string_view text) {
  std::size_t i = 0;
  if (text[i] == '+' || text[i] == '-') is_negative_ = text[i++] == '-';
  bool is_behind_point = false;
  for (; i < text.size() && text[i] != 'e' && text[i] != 'E'; ++i) {
    if (text[i] == '.') {
      is_behind_point = true;
      continue;
    }
    digits_ += text[i];
    if (!is_behind_point) ++point_;
  }
  if (i < text.size()) point_ += std::stoi(std::string(text.substr(i + 1)));
  normalise();
}

void Decimal::normalise() {
  while (!digits_.empty() && digits_.back() == '0') digits_.pop_back();
  const std::size_t zeros = std::min(digits_.find_first_not_of('0'), digits_.size());
  digits_.erase(0, zeros);
  point_ -= static_cast<int>(zeros);
  if (digits_.empty()) {
    point_ = 0;
    is_negative_ = false;
  }
}

std::string Decimal::plain() const {
  if (digits_.empty()) return "0";
  std::string out = is_negative_ ? "-" : "";
  const int count = static_cast<int>(digits_.size());
  if (point_ <= 0) {
    out += "0." + std::string(static_cast<std::size_t>(-point_), '0') + digits_;
  } else if (point_ >= count) {
    out += digits_ + std::string(static_cast<std::size_t>(point_ - count), '0');
  } else {
    const auto split = static_cast<std::size_t>(point_);
    out += digits_.substr(0, split) + "." + digits_.substr(split);
  }
  return out;
}

std::string Decimal::scientific() const {
  if (digits_.empty()) return "0e0";
  std::string out = is_negative_ ? "-" : "";
  out += digits_.substr(0, 1);
  if (digits_.size() > 1) out += "." + digits_.substr(1);
  return out + "E" + std::to_string(point_ - 1);
}

std::size_t Decimal::size_bytes() const {
  if (digits_.empty()) return 1;
  const std::size_t lead = (point_ - 1) % 2 == 0 ? 1 : 0;
  return 1 + (digits_.size() + lead + 1) / 2 + (is_negative_ ? 1 : 0);
}

bool Decimal::is_too_large() const {
  return digits_.size() > kDigitsMax || point_ - 1 > kExponentMax;
}

bool Decimal::is_too_small() const { return !digits_.empty() && point_ - 1 < kExponentMin; }

Decimal Decimal::negated() const {
  Decimal result = *this;
  if (!digits_.empty()) result.is_negative_ = !is_negative_;
  return result;
}

Decimal Decimal::operator+(const Decimal& other) const {
  if (is_zero()) return other;
  if (other.is_zero()) return *this;
  // Both as integers with the same last place.
  const int last = std::min(point_ - static_cast<int>(digits_.size()),
                            other.point_ - static_cast<int>(other.digits_.size()));
  const auto width = static_cast<std::size_t>(std::max(point_, other.point_) - last);
  const auto widen = [&](const Decimal& number) {
    std::string digits = number.digits_;
    digits.append(static_cast<std::size_t>(number.point_ - last) - digits.size(), '0');
    return std::string(width - digits.size(), '0') + digits;
  };
  const std::string a = widen(*this);
  const std::string b = widen(other);

  Decimal result;
  result.point_ = static_cast<int>(width) + last;
  if (is_negative_ == other.is_negative_) {
    result.digits_ = add_digits(a, b);
    ++result.point_;
    result.is_negative_ = is_negative_;
  } else {
    const bool is_larger = a >= b;
    result.digits_ = is_larger ? subtract_digits(a, b) : subtract_digits(b, a);
    result.is_negative_ = is_larger ? is_negative_ : other.is_negative_;
  }
  result.normalise();
  return result;
}

std::strong_ordering Decimal::operator<=>(const Decimal& other) const {
  const int sign = digits_.empty() ? 0 : is_negative_ ? -1 : 1;
  const int other_sign = other.digits_.empty() ? 0 : other.is_negative_ ? -1 : 1;
  if (sign != other_sign || sign == 0) return sign <=> other_sign;
  const Decimal& a = sign > 0 ? *this : other;
  const Decimal& b = sign > 0 ? other : *this;
  if (a.point_ != b.point_) return a.point_ <=> b.point_;
  return a.digits_.compare(b.digits_) <=> 0;
}

}  // namespace stator::model

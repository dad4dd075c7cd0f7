// Json: requests and answers of a model run as plain trees. Answers are normalised, so that two
// that mean the same print the same: members sorted by name, set members sorted.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stator::model {

struct Json {
  enum class Kind { Null, Bool, Number, String, Array, Object };

  Kind kind = Kind::Object;
  bool flag = false;
  std::string text;  // String; Number as written
  std::vector<Json> array;
  std::map<std::string, Json> object;

  static Json null();
  static Json boolean(bool flag);
  static Json number(std::string text);
  static Json string(std::string text);
  static Json list(std::vector<Json> elements = {});

  // The member of an object, made when it is not there.
  Json& operator[](const std::string& name) { return object[name]; }
  const Json* find(const std::string& name) const;

  std::string print() const;
};

// Parses an answer. Throws std::runtime_error when it is not JSON or names a member twice.
Json parse_answer(std::string text);

std::string base64(std::string_view bytes);

}  // namespace stator::model

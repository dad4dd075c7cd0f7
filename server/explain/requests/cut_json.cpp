#include "server/explain/requests/cut_json.h"

namespace stator {

std::string closed_json(std::string_view beginning) {
  std::string closers;        // for open objects and arrays, innermost last
  std::size_t whole_end = 0;  // the text up to here is complete except for closers
  bool is_in_string = false;
  for (std::size_t i = 0; i < beginning.size(); ++i) {
    const char c = beginning[i];
    if (is_in_string) {
      if (c == '\\') ++i;
      is_in_string = c != '"';
      continue;
    }
    if (c == '"') is_in_string = true;
    if (c == ',') whole_end = i;
    if (c == '{' || c == '[') {
      closers += c == '{' ? '}' : ']';
      whole_end = i + 1;
    }
    if ((c == '}' || c == ']') && !closers.empty()) {
      closers.pop_back();
      whole_end = i + 1;
    }
  }
  std::string whole(beginning.substr(0, whole_end));
  whole.append(closers.rbegin(), closers.rend());
  return whole;
}

}  // namespace stator

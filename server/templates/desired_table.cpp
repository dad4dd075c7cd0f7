#include "server/templates/desired_table.h"

namespace stator::templates {

std::string Mistake::message() const {
  std::string said = place.file;
  if (place.line > 0) {
    said.append(":").append(std::to_string(place.line));
    if (place.column > 0) said.append(":").append(std::to_string(place.column));
  }
  if (!said.empty()) said.append(": ");
  return said.append(text);
}

}  // namespace stator::templates

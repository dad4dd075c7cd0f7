#include "server/log/say.h"

#include <cstdio>

#include "server/log/log_text.h"
#include "server/log/output.h"

namespace stator {

void complain(std::string_view line) {
  output::write(output::Stream::Stderr, "stator: " + log::escaped(line) + "\n");
}

int fail(std::string_view line) {
  complain(line);
  return 1;
}

void say(std::string_view line) {
  output::write(output::Stream::Stdout, log::escaped(line) + "\n");
  std::fflush(stdout);
}

}  // namespace stator

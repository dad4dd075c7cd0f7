// The program: options, then the app.

#include <cstdio>

#include "server/app.h"
#include "server/options.h"

int main(int argc, char** argv) {
  const auto options = stator::parse_options(argc, argv);
  if (options) return stator::run_app(*options);
  const auto& [status, text] = options.error();
  std::fputs(text.c_str(), status == 0 ? stdout : stderr);
  if (status != 0) std::fputc('\n', stderr);
  return status;
}

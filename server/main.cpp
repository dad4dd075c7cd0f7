// The program: options, then the app.

#include <malloc.h>

#include <cstdio>

#include "server/app.h"
#include "server/options.h"

namespace {

// A page takes one or two megabytes for a moment. Left alone, the allocator gives them back to the
// system after each and touches them anew for the next, which costs more than the page itself. Up
// to the second bound, free memory stays for the next request; what is above the first, such as
// the largest bodies, is still given back at once.
void keep_memory_of_pages() {
  mallopt(M_MMAP_THRESHOLD, 4 * 1024 * 1024);
  mallopt(M_TRIM_THRESHOLD, 8 * 1024 * 1024);
}

}  // namespace

int main(int argc, char** argv) {
  keep_memory_of_pages();
  const auto options = stator::parse_options(argc, argv);
  if (options) return stator::run_app(*options);
  const auto& [status, text] = options.error();
  std::fputs(text.c_str(), status == 0 ? stdout : stderr);
  if (status != 0) std::fputc('\n', stderr);
  return status;
}

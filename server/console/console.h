// Console: the web pages below /_stator/console/, from files that the build compiles into the
// program (server/console/embed.py). They are static: all data comes from the signed API and the
// verbs of the admin path.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/http_request.h"
#include "server/http/reply.h"

namespace stator {

struct ConsoleFile {
  std::string_view name;  // the path below /_stator/console/
  std::string_view content_type;
  std::string_view gzip;
  std::size_t size_bytes;  // unpacked
  std::string_view sum;    // of the unpacked content
  bool is_hashed;          // the name has a hash of the content: browsers need not ask again
};

// Sorted by name. Empty if the program was built without the console.
std::span<const ConsoleFile> console_files();

// Immutable, so any thread may call everything.
class Console {
 public:
  // `files` must outlive this, sorted by name. `is_on`: --console.
  explicit Console(std::span<const ConsoleFile> files, bool is_on = true);

  // Whether there are pages to show.
  bool is_served() const { return is_on_ && !entries_.empty(); }

  // REQUIRES: is_console_request(request). The views of the answer live as long as this and
  // `unpacked`, which takes the content for a client without gzip.
  Answer answer(const HttpRequest& request, std::string& unpacked) const;

 private:
  struct Entry {
    const ConsoleFile& file;
    std::string gzip_headers;   // of the answer in gzip
    std::string plain_headers;  // of the unpacked one
  };

  const Entry* find(std::string_view name) const;

  std::vector<Entry> entries_;  // by name
  const bool is_on_;
};

// The answer to a browser that opens the server's root: it goes to the console.
Answer answer_to_page_visit();

}  // namespace stator

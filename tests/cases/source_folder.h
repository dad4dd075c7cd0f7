// Where the sources are, for tests that read files of the checkout.
#pragma once

#include <string>
#include <string_view>

namespace stator::test {

// The full path of a file or folder of the checkout, for instance of "docs/metrics.md". This alone
// is compiled to something that holds in one place only; a ccache has all other files of the tests.
std::string source_path(std::string_view path);

}  // namespace stator::test

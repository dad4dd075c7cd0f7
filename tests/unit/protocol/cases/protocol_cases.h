// The runner of tests/cases/protocol. Its directives, besides those a kind of case reads:
//
//   @kind name           what the cases are (case_kinds.h); forgets all other directives
//   @in a, b = text $1   only these variants of the kind, and what is expected in them: $1 is
//                        the expectation, or its part before " | ", $2 the one behind. A kind
//                        without variants: @in = text $1. Several add up, until the next title
//   @new {…}             instead of @item: an item that does not exist yet, with its key
//   @all expectation     cases without an expectation of their own have this one, and several
//                        stand in a line, two spaces apart. Until the next title
//
// Text that must be JSON may be relaxed, and `input on {…}` is a case with an @item of its own.
#pragma once

#include "tests/cases/case_file.h"

namespace stator::test {

CaseReport run_protocol_cases(const CaseFile& file);

}  // namespace stator::test

// The runner of tests/cases/engine: what clients send to an engine in memory, one call after the
// other, and what it answers. Steps before the first title are done again for each, on a new
// engine.
//
//   @settings index_delay=10s …   what the engines are started with; behind a title, that one's
//   alone
//   @verb get GetItem {Key: $*}   `get {pk: …}` is GetItem with what follows in the place of $*
//
//   PutItem {…}        any operation or verb
//   table Things (pk)  CreateTable, in a line (table_text.h)
//   times 20 put …     the step 20 times, % is 0, 1, …; times 5..9: it is 5 to 9
//   pages Query …      Query or Scan in one page, which pages of every size must come to; a Query
//                      backwards, too, a Scan also in segments
//   advance 10s        the clock
//   maintain           one piece of maintenance; `maintain 7`: of 7 records; `maintain all`: until
//                      nothing is due
//   content by_g       the items of an index of the table Things, or of the table itself, in the
//   order
//                      of their text
//   caller eu-west-1 key   Region and access key from here on
//   reopen             the engine is closed and opened again
//   warnings           what the engine has warned of
//
//   -> ok                          a call without an expectation must be ok, too
//   -> {…}                         the answer, or the JSON of a step
//   -> SomeException: text         the error; further members behind it: text + {Item: {…}}
//   -> .Table.ItemCount = 5        the first member of that name anywhere in the answer, and in
//   that …;
//                                  `= nothing`: there is none; `~ text`: it contains that
//   -> milliunits = 500            what the call consumed
//   -> items sk: a b c             values of an attribute of the items of a page
//   -> states ACTIVE by_g:ACTIVE   of the table described and its global indexes (index_life.h)
//   -> text …, nothing             of warnings
//   -> due, idle, idle until 10s   of maintain: more is due; nothing is, or only then
#pragma once

#include "tests/cases/case_file.h"

namespace stator::test {

CaseReport run_engine_cases(const CaseFile& file);

}  // namespace stator::test

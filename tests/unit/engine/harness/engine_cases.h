// The runner of tests/cases/engine: what clients send to an engine in memory, one call after the
// other, and what it answers. Steps before the first title are done again for each title, which
// has an engine of its own.
//
//   @settings gsi_delay=5s …      what the engine is started with; behind a title: that one's
//   @verb get GetItem {Key: $*}   `get {pk: …}` is GetItem with what follows in the place of $*
//
//   PutItem {…}         any operation or verb
//   table Things (pk)   CreateTable, in a line (table_text.h)
//   times 20 put …      the step 20 times, % is 0, 1, …; times 5..9: it is 5 to 9
//   pages Query …       Query or Scan in one page, which pages of every size must come to; a
//                       Query backwards, too, a Scan also in segments
//   advance 10s         the clock
//   maintain            one piece of maintenance; `maintain 7`: of 7 records; `maintain all`:
//                       until nothing is due
//   content by_g        the items of an index of the table Things, or of the table itself, in
//                       the order of their text
//   keep x .Member y …  a text in what step y answers; $x stands for it from here on
//   caller Region key   who calls from here on
//   reopen              the engine is closed and opened again
//   warnings            what the engine has warned of
//
//   -> ok                          a call without an expectation must be ok, too
//   -> {…}                         the answer, or the JSON of a step
//   -> SomeException: text         the error; with further members: text + {Item: {…}}
//   -> .Table.ItemCount = 5        the first member Table in the answer, and in it ItemCount;
//                                  `= nothing`: there is none; `~ text`: it contains that
//   -> milliunits = 500            what the call consumed
//   -> items sk: a b c             values of an attribute of the items of a page
//   -> records INSERT:24:new REMOVE:36:old end
//                                  of a stream: event, size, images, `service` where it wrote;
//                                  `end`: no further iterator
//   -> states ACTIVE by_g:ACTIVE   of a table and its global indexes (index_life.h)
//   -> text …, nothing             of warnings
//   -> due, idle, idle until 10s   of maintain: more is due; nothing is; nothing until then
#pragma once

#include "tests/cases/case_file.h"

namespace stator::test {

CaseReport run_engine_cases(const CaseFile& file);

}  // namespace stator::test

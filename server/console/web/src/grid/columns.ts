// Which columns the grid has, and how wide they are.

import type { Item } from '../wire/wire';
import { attribute, textOf } from '../wire/values';

const EXAMINED = 60;
const CHARACTER_PX = 7.3;
const PADDING_PX = 20;
const MIN_PX = 70;
const MAX_PX = 380;
const SHOWN_CHARACTERS = 60;

/** Wide enough for the name and what the first items have, within bounds. */
export function widthsOf(columns: string[], items: Item[]): number[] {
  const some = items.slice(0, EXAMINED);
  return columns.map((column) => {
    const longest = some.reduce((most, item) => Math.max(most, textOf(attribute(item, column), SHOWN_CHARACTERS).length), column.length);
    return Math.round(Math.min(MAX_PX, Math.max(MIN_PX, longest * CHARACTER_PX + PADDING_PX)));
  });
}

// Where the focus is in the tree of an item, by selectors of the fields of its nodes.

import { tick } from 'svelte';

/** The fields of a node: its name, its type, its value; of a set the elements. */
export function fieldOf(id: number, part: 'name' | 'type' | 'value'): string {
  return `[data-node="${id}"] > .line [data-part="${part}"]`;
}

export function elementOf(id: number, index: number): string {
  return `[data-node="${id}"] > .inner > .line [data-element="${index}"]`;
}

/** The button that adds a member or an element. */
export function addTo(id: number): string {
  return `[data-add="${id}"]`;
}

export function firstFieldOf(id: number): string[] {
  return [`[data-node="${id}"] :is(input, textarea):not(:disabled)`, `[data-node="${id}"] select:not(:disabled)`];
}

/** Moves the focus to the first of these that is there when the page shows what has changed. */
export async function focusFirst(selectors: string[]): Promise<void> {
  const held = document.activeElement;
  const before = textOf(held);
  await tick();
  for (const selector of selectors) {
    const field = document.querySelector<HTMLElement>(selector);
    if (!field) continue;
    field.focus();
    if (field === held && textOf(field) !== before) placeCaret(field as HTMLInputElement, before ?? '');
    return;
  }
}

function textOf(field: Element | null): string | undefined {
  return field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? field.value : undefined;
}

/** Behind what has changed, as a text field's own undo does. */
function placeCaret(field: HTMLInputElement | HTMLTextAreaElement, before: string): void {
  const { value } = field;
  let same = 0;
  while (same < Math.min(value.length, before.length) && value.at(-1 - same) === before.at(-1 - same)) same++;
  field.setSelectionRange(value.length - same, value.length - same);
}

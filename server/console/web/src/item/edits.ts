// Undo and redo in the tree of an item. A step is one node as it was and as it became, so texts, types and the order
// of members come back in the order in which they were changed. A text field's own undo knows nothing of the others.

import { addTo, firstFieldOf } from './focus';
import type { Node } from './node';

const STEPS_MAX = 200;

type Shape = Omit<Node, 'id' | 'isOpen'>;

interface Step {
  node: Node;
  before: Shape;
  after: Shape;
  /** Selectors of where the focus goes, the first that is there. */
  where: string[];
  /** Of the child that came, went or moved. */
  index: number;
}

/** What goes on being typed is one step. */
interface Run {
  field: EventTarget;
  kind: string;
  caret: number;
  length: number;
}

const KINDS: Record<string, string> = {
  insertText: 'insert',
  insertCompositionText: 'insert',
  deleteContentBackward: 'back',
  deleteContentForward: 'forward',
};

function shapeOf({ name, type, text, flag, children, elements }: Node): Shape {
  return { name, type, text, flag, children: [...children], elements: [...elements] };
}

export class Edits {
  #root: Node;
  #done: Step[] = [];
  #undone: Step[] = [];
  #run?: Run;

  constructor(root: Node) {
    this.#root = root;
  }

  /** Makes a change of the node's own members a step. `where`: selectors of the field that shows it. */
  do(node: Node, change: () => void, where: string[], index = 0): void {
    const before = shapeOf(node);
    change();
    this.#done.push({ node, before, after: shapeOf(node), where, index });
    if (this.#done.length > STEPS_MAX) this.#done.shift();
    this.#undone = [];
    this.#run = undefined;
  }

  /** The same for what is typed into a text field: as long as it goes on at the caret, it is one step. */
  type(node: Node, event: Event, change: () => void, where: string[]): void {
    const field = event.currentTarget as HTMLInputElement | HTMLTextAreaElement;
    const kind = KINDS[(event as InputEvent).inputType] ?? '';
    const run = { field, kind, caret: field.selectionStart ?? 0, length: field.value.length };
    if (this.#goesOn(run)) {
      change();
      this.#done.at(-1)!.after = shapeOf(node);
    } else {
      this.do(node, change, where);
    }
    this.#run = run;
  }

  #goesOn(run: Run): boolean {
    const last = this.#run;
    if (!last || !run.kind || last.field !== run.field || last.kind !== run.kind) return false;
    return run.caret - last.caret === (run.kind === 'forward' ? 0 : run.length - last.length);
  }

  /** Takes the last step back. Returns where the focus goes; undefined if there is none. */
  undo(): string[] | undefined {
    return this.#move(this.#done, this.#undone, 'before');
  }

  redo(): string[] | undefined {
    return this.#move(this.#undone, this.#done, 'after');
  }

  #move(from: Step[], to: Step[], side: 'before' | 'after'): string[] | undefined {
    const step = from.pop();
    if (!step) return undefined;
    to.push(step);
    this.#run = undefined;
    const { children, elements, ...own } = step[side];
    Object.assign(step.node, own, { children: [...children], elements: [...elements] });
    for (const each of pathTo(step.node, this.#root) ?? []) each.isOpen = true;
    if (!isSameList(step.before.children, step.after.children)) step.node.isOpen = true;
    return [...step.where, ...near(step.node, step.index)];
  }
}

/** The nodes that a node is in, the outermost first; undefined if it is not below `from`. */
function pathTo(node: Node, from: Node): Node[] | undefined {
  if (from.id === node.id) return [];
  for (const child of from.children) {
    const rest = pathTo(node, child);
    if (rest) return [from, ...rest];
  }
  return undefined;
}

function isSameList(some: Node[], others: Node[]): boolean {
  return some.length === others.length && some.every((each, index) => each.id === others[index].id);
}

/** Where the focus goes when the child at this place is gone: to the one that has its place, or to what adds one. */
export function near(node: Node, index: number): string[] {
  const neighbour = node.children[Math.min(index, node.children.length - 1)];
  return [...(neighbour ? firstFieldOf(neighbour.id) : []), addTo(node.id), ...firstFieldOf(node.id)];
}

// An attribute value as the editor holds it. A node retains what was typed for every type, so a change of
// type and back loses nothing. Numbers are text.

import type { Item, Type, Value } from '../wire/wire';
import { canonicalNumber, isSet, typeOf } from '../wire/values';

export interface Node {
  id: number;
  /** The attribute's name; empty in a list. */
  name: string;
  type: Type;
  /** Of S, N and B. */
  text: string;
  flag: boolean;
  /** Of maps and lists. */
  children: Node[];
  /** Of sets. */
  elements: string[];
  /** Whether its members are shown; undefined until somebody or an undo decides it. */
  isOpen?: boolean;
}

let last = 0;

export function emptyNode(name: string, type: Type = 'S'): Node {
  return { id: ++last, name, type, text: '', flag: false, children: [], elements: [] };
}

export function nodeFrom(name: string, value: Value): Node {
  const node = emptyNode(name, typeOf(value));
  const inner = value[node.type];
  if (node.type === 'M') node.children = nodesFrom(inner as Item);
  else if (node.type === 'L') node.children = (inner as Value[]).map((each) => nodeFrom('', each));
  else if (isSet(node.type)) node.elements = [...(inner as string[])];
  else if (node.type === 'BOOL') node.flag = inner as boolean;
  else if (node.type !== 'NULL') node.text = String(inner);
  return node;
}

export function nodesFrom(item: Item): Node[] {
  return Object.entries(item).map(([name, value]) => nodeFrom(name, value));
}

/** Takes another type, with the content that it can hold. */
export function changeType(node: Node, type: Type): void {
  if (isSet(type) && !isSet(node.type) && node.elements.length === 0 && node.text) node.elements = [node.text];
  if (isSet(node.type) && !isSet(type) && node.elements.length === 1 && !node.text) node.text = node.elements[0];
  node.type = type;
}

/** What is wrong with the node itself, in plain words. */
export function faultOf(node: Node): string | undefined {
  if (node.type === 'N') return numberFault(node.text);
  if (node.type === 'B') return binaryFault(node.text);
  if (!isSet(node.type)) return undefined;
  if (node.elements.length === 0) return 'a set has one element or more';
  const seen = new Set<string>();
  for (const element of node.elements) {
    const fault = node.type === 'NS' ? numberFault(element) : node.type === 'BS' ? binaryFault(element) : undefined;
    if (fault) return fault;
    const same = node.type === 'NS' ? canonicalNumber(element)! : element;
    if (seen.has(same)) return `“${element}” is in the set twice`;
    seen.add(same);
  }
  return undefined;
}

function numberFault(text: string): string | undefined {
  return canonicalNumber(text) === undefined ? 'a number has 38 digits or fewer, and a magnitude from 1E-130 to 1E+126' : undefined;
}

function binaryFault(text: string): string | undefined {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text) ? undefined : 'this is not Base64';
}

export function valueOf(node: Node): Value {
  switch (node.type) {
    case 'M':
      return { M: itemOf(node.children) };
    case 'L':
      return { L: node.children.map(valueOf) };
    case 'BOOL':
      return { BOOL: node.flag };
    case 'NULL':
      return { NULL: true };
    case 'S':
    case 'B':
      return { [node.type]: node.text };
    case 'N':
      return { N: node.text.trim() };
    default:
      return { [node.type]: [...node.elements] };
  }
}

export function itemOf(nodes: Node[]): Item {
  return Object.fromEntries(nodes.map((each) => [each.name, valueOf(each)]));
}

/** The first fault of a whole item, with its place. */
export function firstFault(nodes: Node[], place = ''): string | undefined {
  const names = new Set<string>();
  for (const [index, node] of nodes.entries()) {
    const path = place + (node.name || `[${index}]`);
    if (node.name && names.has(node.name)) return `${path}: the name is there twice`;
    names.add(node.name);
    const fault = faultOf(node);
    if (fault) return `${path}: ${fault}`;
    const inner =
      node.type === 'M' && node.children.some((each) => !each.name)
        ? `${path}: a member has no name`
        : node.type === 'M' || node.type === 'L'
          ? firstFault(node.children, node.type === 'M' ? `${path}.` : path)
          : undefined;
    if (inner) return inner;
  }
  return undefined;
}

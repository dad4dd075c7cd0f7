// One change of many items: rows, or an update expression, and the parts of an UpdateItem that they mean.

import { firstFault, nodeFrom } from '../item/node';
import { LINE_TYPES, Placeholders, valueFrom } from '../query/expression';
import { TYPES } from '../wire/values';
import type { Body, Type, Value } from '../wire/wire';

export const ACTIONS = { SET: 'set', REMOVE: 'remove', ADD: 'add to a number or set', DELETE: 'delete from a set' } as const;
export type Action = keyof typeof ACTIONS;
/** The types of a value that an action takes. */
export const TYPES_OF: Record<Action, Type[]> = { SET: TYPES, REMOVE: [], ADD: ['N', 'SS', 'NS', 'BS'], DELETE: ['SS', 'NS', 'BS'] };

export interface Change {
  action: Action;
  path: string;
  type: Type;
  /** The text of a line, or the JSON that the type has in DynamoDB JSON, such as `["a"]` for SS. */
  text: string;
}

export interface Edit {
  changes: Change[];
  isText: boolean;
  expression: string;
  /** ExpressionAttributeNames and ExpressionAttributeValues as JSON. */
  names: string;
  values: string;
}

export function emptyChange(): Change {
  return { action: 'SET', path: '', type: 'S', text: '' };
}

export function emptyEdit(): Edit {
  return { changes: [emptyChange()], isText: false, expression: '', names: '', values: '' };
}

function valueOf(change: Change): Value {
  if (LINE_TYPES.includes(change.type)) return valueFrom(change.type, change.text);
  let inner: unknown;
  try {
    inner = JSON.parse(change.text);
  } catch {
    throw new Error(`${change.path}: the value of type ${change.type} is JSON, as in DynamoDB JSON`);
  }
  if ((change.type === 'M') === Array.isArray(inner) || typeof inner !== 'object' || inner === null) {
    throw new Error(`${change.path}: a value of type ${change.type} is ${change.type === 'M' ? 'an object' : 'an array'}`);
  }
  const value = { [change.type]: inner };
  const fault = firstFault([nodeFrom(change.path, value)]);
  if (fault) throw new Error(fault);
  return value;
}

function members(text: string, name: string): Body {
  if (!text.trim()) return {};
  try {
    return JSON.parse(text) as Body;
  } catch (reason) {
    throw new Error(`${name}: ${(reason as Error).message}`);
  }
}

/** UpdateExpression and its placeholders. Throws an Error in plain words for what has no meaning. */
export function updateOf(edit: Edit): Body {
  if (edit.isText) {
    if (!edit.expression.trim()) throw new Error('The update expression is empty.');
    return {
      UpdateExpression: edit.expression,
      ExpressionAttributeNames: members(edit.names, 'Names'),
      ExpressionAttributeValues: members(edit.values, 'Values'),
    };
  }
  const placeholders = new Placeholders('edit_');
  const clauses = (Object.keys(ACTIONS) as Action[]).map((action) => {
    const parts = edit.changes
      .filter((each) => each.action === action && each.path)
      .map((each) => {
        const path = placeholders.path(each.path);
        if (action === 'REMOVE') return path;
        return path + (action === 'SET' ? ' = ' : ' ') + placeholders.value(valueOf(each));
      });
    return parts.length ? `${action} ${parts.join(', ')}` : '';
  });
  const expression = clauses.filter(Boolean).join(' ');
  if (!expression) throw new Error('No change has an attribute.');
  return { UpdateExpression: expression, ExpressionAttributeNames: placeholders.names, ExpressionAttributeValues: placeholders.values };
}

// Tags of a table, and its class: what a bill is sorted by.

import { call, type Body, type Scope } from '../wire/wire';

export interface Tag {
  key: string;
  value: string;
}

export const TABLE_CLASSES = { STANDARD: 'standard', STANDARD_INFREQUENT_ACCESS: 'infrequent access' };
export type TableClass = keyof typeof TABLE_CLASSES;

/** In the words of the service. */
export function tagList(tags: Tag[]): Body[] {
  return tags.map(({ key, value }) => ({ Key: key, Value: value }));
}

export async function tagsOf(scope: Scope, ResourceArn: string): Promise<Tag[]> {
  const { body } = await call(scope, 'ListTagsOfResource', { ResourceArn });
  return body.Tags.map(({ Key, Value }: Body) => ({ key: Key, value: Value }));
}

/** Removes and sets only what differs. Those to remove go first, so that the number of tags stays within its limit. */
export async function saveTags(scope: Scope, ResourceArn: string, was: Tag[], is: Tag[]): Promise<void> {
  const kept = new Map(is.map(({ key, value }) => [key, value]));
  if (kept.size < is.length) throw new Error('Two tags have the same key.');
  const TagKeys = was.filter(({ key }) => !kept.has(key)).map(({ key }) => key);
  const old = new Map(was.map(({ key, value }) => [key, value]));
  const Tags = tagList(is.filter(({ key, value }) => old.get(key) !== value));
  if (TagKeys.length) await call(scope, 'UntagResource', { ResourceArn, TagKeys });
  if (Tags.length) await call(scope, 'TagResource', { ResourceArn, Tags });
}

import type { JsonValue } from '@orch/machinery';
import type { Schema } from '@orch/schema';
import { MalformedPatchError, UnprocessablePatchError } from '../errors.js';
import { cloneJson, isObject } from '../json-values.js';
import type { MergeRules } from './lookup.js';
import { mergeObject } from './merge-object.js';
import { type Identity, identityOf, identityOfValue, inOrder, isAmong, placesIn } from './order.js';

/** Merges a list by its field's strategy. @throws PatchError */
export function mergeList(original: readonly JsonValue[], patch: readonly JsonValue[], rules: MergeRules): JsonValue[] {
  if (rules.strategy === 'replace') return patch.map(cloneJson);
  if (original.length === 0 && patch.length === 0) return [];
  const objects = [...original, ...patch].filter((item) => isObject(item)).length;
  if (objects === 0) return mergeScalars(original, patch);
  if (objects < original.length + patch.length) {
    throw new UnprocessablePatchError('mixed-list', 'list element types are not identical');
  }
  if (rules.mergeKey === '') {
    throw new UnprocessablePatchError('missing-merge-key', 'cannot merge lists without merge key');
  }
  return mergeObjects(original, patch, rules.mergeKey, rules.schema);
}

function mergeScalars(original: readonly JsonValue[], patch: readonly JsonValue[]): JsonValue[] {
  const distinct = new Map<Identity, JsonValue>();
  for (const items of [original, patch]) for (const item of items) distinct.set(identityOfValue(item), item);
  return inOrder([...distinct.values()], patch, original, '');
}

function mergeObjects(
  original: readonly JsonValue[],
  patch: readonly JsonValue[],
  mergeKey: string,
  schema: Schema | undefined,
): JsonValue[] {
  const { base, changes } = applyItemDirectives(original, patch, mergeKey);
  const merged = [...base];
  const places = placesIn(merged, mergeKey);
  for (const change of changes) {
    const identity = identityOf(change, mergeKey);
    const place = places.get(identity);
    const current = place === undefined ? undefined : merged[place];
    if (place !== undefined && isObject(current) && isObject(change)) {
      merged[place] = mergeObject(current, change, schema);
    } else {
      places.set(identity, merged.length);
      merged.push(cloneJson(change));
    }
  }
  return inOrder(merged, changes, base, mergeKey);
}

interface Split {
  readonly base: readonly JsonValue[];
  readonly changes: readonly JsonValue[];
}

/** Applies the items of a patch that are directives: they delete an item, or make the rest replace the list. */
function applyItemDirectives(original: readonly JsonValue[], patch: readonly JsonValue[], mergeKey: string): Split {
  const deleted = new Set<Identity>();
  let replaces = false;
  const changes: JsonValue[] = [];
  for (const item of patch) {
    const directive = isObject(item) ? item.$patch : undefined;
    if (directive === undefined) changes.push(item);
    else if (directive === 'replace') replaces = true;
    else if (directive === 'delete') deleted.add(identityOf(item, mergeKey));
    else {
      throw new MalformedPatchError('bad-directive', `unknown patch type in list: ${JSON.stringify(directive)}`);
    }
  }
  if (replaces) return { base: changes.map(cloneJson), changes: [] };
  return { base: original.filter((item) => !isAmong(deleted, item, mergeKey)), changes };
}

import type { CustomVersion } from '@orch/kinds';
import { type ApiObject, type JsonObject, StatusError } from '@orch/machinery';
import { ApplyError, bothTypes, customType, FieldManager, pathsOf, type VersionTypes } from '@orch/merge';
import type { Scheme } from '@orch/schema';
import type { LongestStep } from './steps.js';

/** Values of an object beyond which owners of its fields are not drawn, as servers have it unless they are told otherwise. */
const MOST_OWNED = 20_000;
const VERSION = 'example.com/v1';
const NOW = new Date('2026-01-01T00:00:00Z');

function managerOf({ schema, rules }: CustomVersion, scheme: Scheme): FieldManager {
  let types: VersionTypes | undefined;
  const make = () => bothTypes(customType(schema().props as JsonObject, scheme.struct('meta/v1.ObjectMeta')));
  const reset = pathsOf(rules.resetFields(''));
  return new FieldManager(
    { apiVersion: VERSION, kind: 'Widget', typesOf: () => (types ??= make()), resetFields: { get: () => reset } },
    (object) => object,
  );
}

/** Draws the owners of the fields of an object as it is made, and as it is changed; returns what is stored then. */
export async function own(
  version: CustomVersion,
  scheme: Scheme,
  [before, after]: readonly [ApiObject, ApiObject],
  longest: LongestStep,
): Promise<JsonObject> {
  const manager = longest.one('types', () => managerOf(version, scheme));
  const made = before as JsonObject;
  if (holdsTooMany(before) || holdsTooMany(after)) return made;
  const pause = () => longest.mark('owners');
  longest.begin();
  const stored = await manager.updateAsync(undefined, made, { manager: 'maker', now: NOW }, pause);
  pause();
  await manager.updateAsync(
    stored,
    { ...(after as JsonObject), metadata: stored.metadata ?? {} },
    { manager: 'changer', now: NOW },
    pause,
  );
  pause();
  return stored;
}

/** Applies to an object all that it says, for somebody else. */
export async function apply(
  version: CustomVersion,
  scheme: Scheme,
  stored: JsonObject,
  longest: LongestStep,
): Promise<void> {
  const manager = managerOf(version, scheme);
  const said = { ...stored, metadata: { name: 'w', namespace: 'default' } };
  const pause = () => longest.mark('apply');
  longest.begin();
  try {
    await manager.applyAsync(stored, said, { manager: 'applier', now: NOW, force: true }, pause);
  } catch (error) {
    if (!(error instanceof ApplyError || error instanceof StatusError)) throw error;
  }
  pause();
}

function holdsTooMany(value: unknown): boolean {
  const open = [value];
  let count = 0;
  for (let next = open.pop(); next !== undefined && count <= MOST_OWNED; next = open.pop(), count++)
    if (typeof next === 'object' && next !== null) open.push(...Object.values(next));
  return count > MOST_OWNED;
}

import { createHash } from 'node:crypto';
import { type ApiObject, copy, type JsonValue, type Names } from '@orch/machinery';
import { applyDefaults, type FeatureName, type ResourceDefinition } from '@orch/schema';
import { kindRules } from '../registry/registry.js';
import { sampleObject } from './default-samples.js';
import { withFeatures } from './settings.js';

/** Objects of each version of a kind whose defaults are looked at. */
const SAMPLES = 128;

/** What the versions of a kind fill in with some features on and some off, each as `path: value`. */
export function filledIn(
  versions: readonly ResourceDefinition[],
  names: Names,
  features: Partial<Record<FeatureName, boolean>>,
): readonly string[] {
  return versions.flatMap((definition) => {
    const rules = kindRules(definition, names, withFeatures(features));
    return Array.from({ length: SAMPLES }, (_, number) => {
      const before = sampleObject(definition, number);
      const object = copy(before);
      applyDefaults(definition.schema, object);
      rules.defaults(object);
      return changesOf(before, object).map((change) => `${definition.version} ${number} ${change}`);
    }).flat();
  });
}

function changesOf(before: ApiObject, after: ApiObject): readonly string[] {
  const changes: string[] = [];
  const compare = (path: string, old: JsonValue | undefined, now: JsonValue | undefined): void => {
    if (isParent(old) && isParent(now)) {
      for (const name of new Set([...Object.keys(old), ...Object.keys(now)]))
        compare(`${path}.${name}`, memberOf(old, name), memberOf(now, name));
    } else if (old !== now) changes.push(`${path}: ${JSON.stringify(now)}`);
  };
  compare('', before as JsonValue, after as JsonValue);
  return changes;
}

type Parent = Readonly<Record<string, JsonValue>>;
const isParent = (value: JsonValue | undefined): value is Parent => typeof value === 'object' && value !== null;
const memberOf = (parent: Parent, name: string): JsonValue | undefined =>
  Object.hasOwn(parent, name) ? parent[name] : undefined;

/** Equal where the same is filled in; undefined where nothing is. @param features those that bring defaults of their own */
export function fingerprintOf(
  versions: readonly ResourceDefinition[],
  names: Names,
  features: readonly FeatureName[],
): string | undefined {
  const all = (on: boolean) => filledIn(versions, names, Object.fromEntries(features.map((name) => [name, on])));
  const lines = [...all(true), ...(features.length > 0 ? all(false) : [])];
  if (lines.length === 0) return undefined;
  return createHash('sha256')
    .update([...features, ...lines.sort()].join('\n'))
    .digest('hex')
    .slice(0, 12);
}

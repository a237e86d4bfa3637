import { formatApiVersion, parseApiVersion } from '@orch/machinery';
import type { ResourceDefinition } from './model.js';

/** A runtime configuration that cannot be followed; thrown at start-up. */
export class RuntimeConfigError extends RangeError {
  override readonly name = 'RuntimeConfigError';
}

const TRUE = new Set(['', '1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

/** Levels of stability that a key may name, in the order in which they take effect (spec: "Levels"). */
const LEVELS: readonly (readonly [key: string, matches: (version: string) => boolean])[] = [
  ['api/all', () => true],
  ['api/ga', (version) => /^v\d+$/.test(version)],
  ['api/beta', (version) => /^v\d+beta\d+$/.test(version)],
  ['api/alpha', (version) => /^v\d+alpha\d+$/.test(version)],
];

/**
 * Reads `--runtime-config`: items `<key>[=<value>]` separated by commas; a missing value means true
 * (spec: "Groups and paths").
 * @throws RuntimeConfigError for a value that is neither true nor false.
 */
export function parseRuntimeConfig(text: string): ReadonlyMap<string, boolean> {
  const items = text.split(',').map((item) => item.trim());
  return new Map(items.filter((item) => item !== '').map(parseItem));
}

function parseItem(item: string): [string, boolean] {
  const at = item.indexOf('=');
  if (at < 0) return [item, true];
  const key = item.slice(0, at).trim();
  const value = item.slice(at + 1).trim();
  if (TRUE.has(value)) return [key, true];
  if (FALSE.has(value)) return [key, false];
  throw new RuntimeConfigError(`${key} must be true or false, not "${value}"`);
}

/**
 * Which of the declared resources are served. What is served by default is changed first by the levels (`api/all`,
 * `api/ga`, `api/beta`, `api/alpha`), then by group-versions (`batch/v1`, `v1`, `api/v1`), then by single resources
 * (`batch/v1/jobs`).
 * @throws RuntimeConfigError for keys that name nothing.
 */
export function selectServed(
  resources: readonly ResourceDefinition[],
  config: ReadonlyMap<string, boolean>,
): readonly ResourceDefinition[] {
  const served = new Map(resources.map((resource) => [resource, resource.servedByDefault]));
  const turn = (enabled: boolean, which: (resource: ResourceDefinition) => boolean): number => {
    const matching = resources.filter(which);
    for (const resource of matching) served.set(resource, enabled);
    return matching.length;
  };
  for (const [key, matches] of LEVELS) {
    const enabled = config.get(key);
    if (enabled !== undefined) turn(enabled, (resource) => matches(resource.version));
  }
  for (const { key, apiVersion, plural, enabled } of targets(config)) {
    const which = (resource: ResourceDefinition) =>
      formatApiVersion(resource) === apiVersion && (plural === undefined || plural === resource.resource);
    if (turn(enabled, which) === 0) throw new RuntimeConfigError(`nothing is known as ${key}`);
  }
  return resources.filter((resource) => served.get(resource));
}

interface Target {
  readonly key: string;
  readonly apiVersion: string;
  readonly plural: string | undefined;
  readonly enabled: boolean;
}

/** The keys that are no levels; group-versions before resources, which may so be exempt from them. */
function targets(config: ReadonlyMap<string, boolean>): readonly Target[] {
  const levels = new Set(LEVELS.map(([key]) => key));
  const found = [...config].filter(([key]) => !levels.has(key)).map(([key, enabled]) => ({ ...target(key), enabled }));
  return [...found.filter((t) => t.plural === undefined), ...found.filter((t) => t.plural !== undefined)];
}

function target(key: string): Omit<Target, 'enabled'> {
  const parts = key.replace(/^api\/(?=v\d)/, '').split('/');
  const core = /^v\d+((alpha|beta)\d+)?$/.test(parts[0] ?? '');
  const length = core ? 1 : 2;
  const apiVersion = parts.slice(0, length).join('/');
  const [plural, ...excess] = parts.slice(length);
  if (!parseApiVersion(apiVersion) || (!core && parts.length < 2) || excess.length > 0) {
    throw new RuntimeConfigError(`${key} is neither a level nor <group>/<version>[/<resource>]`);
  }
  return { key, apiVersion, plural };
}

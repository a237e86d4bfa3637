import { formatApiVersion } from '@orch/machinery';
import { API_RELEASE, isLater, isRemoved } from './deprecation.js';
import { DEFAULT_FEATURES, type FeatureName, type Features } from './features.js';
import type { ResourceDefinition } from './model.js';

/** Thrown at start-up for an invalid runtime configuration. */
export class RuntimeConfigError extends RangeError {
  override readonly name = 'RuntimeConfigError';
}

const TRUE = new Set(['', '1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

const ALL = 'api/all';

/** Levels of stability that a key may name, in the order in which they are applied (spec: "Levels"). */
const LEVELS: readonly (readonly [key: string, matches: (version: string) => boolean])[] = [
  [ALL, () => true],
  ['api/ga', (version) => /^v\d+$/.test(version)],
  ['api/beta', (version) => /^v\d+beta\d+$/.test(version)],
  ['api/alpha', (version) => /^v\d+alpha\d+$/.test(version)],
];

/**
 * Reads `--runtime-config`: items `<key>[=<value>]`; a missing value means true (spec: "Groups and paths"). A later
 * item wins over an earlier one of the same key.
 * @throws RuntimeConfigError for malformed keys, for values that are neither true nor false, and for `api/all=false`
 * alone, which leaves nothing to serve.
 */
export function parseRuntimeConfig(items: readonly string[]): ReadonlyMap<string, boolean> {
  const said = items.map((item) => item.trim()).filter((item) => item !== '');
  const config = new Map(said.map(parseItem));
  if (config.size === 1 && config.get(ALL) === false)
    throw new RuntimeConfigError(`invalid key with only ${ALL}=false`);
  for (const key of config.keys()) if (!isLevel(key)) target(key);
  return config;
}

function parseItem(item: string): [string, boolean] {
  const at = item.indexOf('=');
  if (at < 0) return [item, true];
  const key = item.slice(0, at).trim();
  const value = item.slice(at + 1).trim();
  if (TRUE.has(value)) return [key, true];
  if (FALSE.has(value)) return [key, false];
  throw new RuntimeConfigError(`invalid value ${key}=${value}`);
}

const isLevel = (key: string): boolean => LEVELS.some(([level]) => level === key);

/** Further conditions that decide which resources are served. */
export interface ServedBy {
  /** Enabled features; default: those of the release. */
  readonly features?: Features;
  /** Whether an earlier release served an undeclared group-version; naming one is no error. Default: none did. */
  wasServed?(apiVersion: string): boolean;
  /** Resources removed by this release are not served, whatever is configured. Default {@link API_RELEASE}. */
  readonly release?: string;
}

/** The served resources, and warnings about the configuration. */
export interface EnabledResources {
  /** Resources in the order of their declarations. */
  readonly resources: readonly ResourceDefinition[];
  /** Warnings, a sentence each, without the name of the option. */
  readonly warnings: readonly string[];
}

/** Kinds that exist with a feature only, by canonical name. */
const FEATURES_OF_KINDS: Readonly<Record<string, FeatureName>> = {
  ClusterTrustBundle: 'ClusterTrustBundle',
  SelfSubjectReview: 'APISelfSubjectReview',
};

/**
 * Selects the declared resources to serve. The default selection is changed first by the levels (`api/all`, `api/ga`,
 * `api/beta`, `api/alpha`), then by group-versions (`batch/v1`, `v1`, `api/v1`), then by single resources
 * (`batch/v1/jobs`). A resource newer than the release is served if it is named itself, or if its version is named and
 * as new.
 * @throws RuntimeConfigError for unknown groups, and for versions that their group has never had.
 */
export function selectServed(
  resources: readonly ResourceDefinition[],
  config: ReadonlyMap<string, boolean>,
  { features = DEFAULT_FEATURES, wasServed = () => false, release = API_RELEASE }: ServedBy = {},
): EnabledResources {
  const served = new Map(resources.map((resource) => [resource, resource.servedByDefault]));
  const warnings: string[] = [];
  const turn = (enabled: boolean, which: (resource: ResourceDefinition) => boolean): number => {
    const matching = resources.filter(which);
    for (const resource of matching) served.set(resource, enabled);
    return matching.length;
  };
  const isNew = ({ lifecycle }: ResourceDefinition) => isLater(lifecycle, release);
  for (const [key, matches] of LEVELS) {
    const enabled = config.get(key);
    if (enabled !== undefined) turn(enabled, (each) => matches(each.version) && !(enabled && isNew(each)));
  }
  const targets = targetsOf(config);
  checkKnown(targets, resources, wasServed);
  const versions = new Set(resources.filter((each) => !isNew(each)).map(formatApiVersion));
  for (const { key, apiVersion, plural, enabled } of targets) {
    const isMeant = (each: ResourceDefinition) =>
      plural === undefined ? !(enabled && isNew(each) && versions.has(apiVersion)) : plural === each.resource;
    const matching = turn(enabled, (each) => formatApiVersion(each) === apiVersion && isMeant(each));
    if (matching === 0) warnings.push(`nothing is served as ${key} in this release`);
  }
  const wanted = resources.filter((each) => served.get(each) && !isRemoved(each.lifecycle, release));
  return there(wanted, features, release, warnings);
}

/** Returns the wanted resources whose features are enabled. */
function there(
  wanted: readonly ResourceDefinition[],
  features: Features,
  release: string,
  warnings: readonly string[],
): EnabledResources {
  const resources: ResourceDefinition[] = [];
  const gated: string[] = [];
  for (const each of wanted) {
    const feature = featureOf(each, release);
    if (feature === undefined || features.enabled(feature)) resources.push(each);
    else gated.push(`${nameOf(each)} is not served: the feature ${feature} is off`);
  }
  return { resources, warnings: [...warnings, ...gated] };
}

const nameOf = (resource: ResourceDefinition): string => `${formatApiVersion(resource)}/${resource.resource}`;

/** Feature that a resource needs; undefined for none but the release. */
const featureOf = ({ kind, lifecycle }: ResourceDefinition, release: string): FeatureName | undefined =>
  FEATURES_OF_KINDS[kind] ?? (isLater(lifecycle, release) ? 'LaterExpressions' : undefined);

interface Target {
  readonly key: string;
  readonly group: string;
  readonly apiVersion: string;
  readonly plural: string | undefined;
}

/** Returns keys that are no levels; group-versions before resources, which can so override them. */
function targetsOf(config: ReadonlyMap<string, boolean>): readonly (Target & { readonly enabled: boolean })[] {
  const found = [...config].filter(([key]) => !isLevel(key)).map(([key, enabled]) => ({ ...target(key), enabled }));
  return [...found.filter((t) => t.plural === undefined), ...found.filter((t) => t.plural !== undefined)];
}

/** Parses a key; the core group may be written `api`, empty, or left out. */
function target(key: string): Target {
  const named = key.replace(/^(api)?\/(?=v\d)/, '');
  const parts = /^v\d+((alpha|beta)\d+)?(\/|$)/.test(named) ? ['', ...named.split('/')] : named.split('/');
  const [group = '', version = '', plural, ...excess] = parts;
  if (parts.length < 2 || excess.length > 0) throw new RuntimeConfigError(`invalid key ${key}`);
  if (plural !== undefined && plural !== plural.toLowerCase()) {
    const text = `group/version/resource and resource is always lowercase plural, not ${JSON.stringify(plural)}`;
    throw new RuntimeConfigError(`invalid key ${key}: ${text}`);
  }
  return { key, group, apiVersion: formatApiVersion({ group, version }), plural };
}

function checkKnown(
  targets: readonly Target[],
  resources: readonly ResourceDefinition[],
  wasServed: (apiVersion: string) => boolean,
): void {
  const groups = new Set(resources.map(({ group }) => group));
  const versions = new Set(resources.map(formatApiVersion));
  const unknown = targets.filter(({ apiVersion }) => !versions.has(apiVersion) && !wasServed(apiVersion));
  const strange = unknown.filter(({ group }) => !groups.has(group)).map(({ group }) => group);
  if (strange.length > 0) throw new RuntimeConfigError(`unknown api groups ${strange.join(',')}`);
  for (const { apiVersion } of unknown) {
    throw new RuntimeConfigError(`group version ${apiVersion} that has not been registered`);
  }
}

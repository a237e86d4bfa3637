import { type ApiObject, copy, type FieldError, namesOf } from '@orch/machinery';
import { applyDefaults, loadScheme, type ResourceDefinition } from '@orch/schema';
import { kindRules } from '../registry/registry.js';
import type { KindRules } from '../rules/kind-rules.js';
import type { KindSettings } from '../rules/settings.js';
import { through } from './through.js';

const names = namesOf('kubernetes');
const scheme = loadScheme(names);

/** Members by their paths (`spec.ports.0.name`); undefined removes one. */
export type Changes = Readonly<Record<string, unknown>>;

/** A kind whose rules are tried on variants of one object. */
export interface TriedKind {
  /** The object with changes, defaults filled in, as it stands before its rules look at it. */
  made(changes?: Changes): ApiObject;
  /** The object with changes as it would be stored. */
  stored(changes?: Changes): ApiObject;
  /** What an update through `subresource` makes of an object as it is stored. */
  rewritten(old: ApiObject, changes: Changes, subresource?: string): ApiObject;
  /** What is refused of an update from an object as it is stored to another one. */
  refusedOf(object: ApiObject, old: ApiObject): string[];
  /** What is refused of the new object, each as `field: message`. */
  created(changes?: Changes): string[];
  /** What is refused of an update from the object with `before` to the one with `before` and `after`. */
  updated(before: Changes, after: Changes, subresource?: string): string[];
}

/**
 * @param least the object that the variants start from, of which the release refuses nothing
 * @param settings of the installation; default the release's own
 */
export function triedKind(
  group: string,
  version: string,
  plural: string,
  least: ApiObject,
  settings?: KindSettings,
): TriedKind {
  const definition = scheme.resource(group, version, plural);
  if (!definition) throw new Error(`no ${plural} in ${group}/${version}`);
  const rules = kindRules(definition, names, settings);
  const made = (...changes: Changes[]) => variant(definition, rules, least, changes);
  const stored = (changes: Changes = {}) => {
    const object = made(changes);
    rules.prepareForCreate(object, through());
    return object;
  };
  const before = (changes: Changes): ApiObject => {
    const { status } = made(changes);
    return { ...stored(changes), ...(status !== undefined && { status }) };
  };
  const rewritten = (old: ApiObject, changes: Changes, subresource = '') => {
    const object = copy(old);
    setMembers(object, changes);
    fillIn(definition, rules, object);
    rules.prepareForUpdate(object, old, through(subresource));
    return object;
  };
  return {
    made,
    stored,
    rewritten,
    created: (changes) => texts(rules.validateCreate(stored(changes))),
    refusedOf: (object, old) => texts(rules.validateUpdate(object, old)),
    updated(from, to, subresource = '') {
      const old = before(from);
      return texts(rules.validateUpdate(rewritten(old, to, subresource), old, subresource));
    },
  };
}

const texts = (steps: Iterable<FieldError[]>): string[] =>
  [...steps].flat().map(({ field, message }) => `${field}: ${message}`);

function variant(definition: ResourceDefinition, rules: KindRules, least: ApiObject, changes: Changes[]): ApiObject {
  const object: ApiObject = { ...copy(least), metadata: { name: 'a', uid: 'u', ...copy(least.metadata ?? {}) } };
  for (const each of changes) setMembers(object, each);
  fillIn(definition, rules, object);
  return object;
}

function fillIn(definition: ResourceDefinition, rules: KindRules, object: ApiObject): void {
  applyDefaults(definition.schema, object);
  rules.defaults(object);
}

/** Sets members by their paths, with objects on the way where there are none; undefined removes. Mutates. */
export function setMembers(object: ApiObject, changes: Changes): void {
  for (const [path, value] of Object.entries(changes)) {
    const members = path.split('.');
    const last = members.pop() ?? '';
    let here: Record<string, unknown> = object;
    for (const member of members) {
      here[member] ??= {};
      here = here[member] as Record<string, unknown>;
    }
    if (value === undefined) delete here[last];
    else here[last] = copy(value);
  }
}

import { readObject } from '@orch/codec';
import {
  type ApiObject,
  copy,
  type FieldError,
  formatApiVersion,
  type JsonValue,
  type Names,
  parseApiVersion,
} from '@orch/machinery';
import { applyDefaults, isLater, type ResourceDefinition, type Scheme, type StructSchema } from '@orch/schema';
import { kindRules } from '../registry/registry.js';
import type { Requestor } from '../rules/kind-rules.js';
import type { ConversionTools, VersionConversion } from './version-conversion.js';
import { GONE, VERSIONS } from './versions.js';

/** Thrown for an object that cannot be converted to a version; the message is the reason. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
}

/** A version of a kind: equal to its hub, or converted to it and back. */
interface Version {
  /** apiVersion of the hub. */
  readonly hub: string;
  readonly differs: VersionConversion | undefined;
  readonly tools: ConversionTools;
}

/** Placeholder for the user who will create the object of a manifest. */
const SOMEBODY: Requestor = { name: 'somebody', groups: [], extra: {} };

/**
 * Converts an object from one version to another; does not change its argument, but may share parts with the result.
 */
export type Convert = (object: ApiObject) => ApiObject;

/**
 * Converts between all versions of the built-in kinds, served or former ones, through one hub for each kind; lossless
 * wherever the reference is.
 */
export class Conversions {
  readonly #differing = new Map<string, VersionConversion>();
  readonly #gone: ReadonlyMap<string, string>;
  readonly #names: Names;

  constructor(private readonly scheme: Scheme) {
    this.#names = scheme.names;
    for (const each of VERSIONS) {
      const named = {
        ...each,
        hub: this.#named(each.hub),
        ...(each.successor && { successor: this.#named(each.successor) }),
      };
      for (const kind of each.kinds) this.#differing.set(`${this.#named(each.version)} ${kind}`, named);
    }
    this.#gone = new Map(
      Object.entries(GONE).map(([key, release]) => {
        const [version = '', kind = ''] = key.split(' ');
        return [`${this.#named(version)} ${kind}`, release];
      }),
    );
  }

  /** Returns the versions that are not the hub of their kind, in no particular order. */
  differing(): { readonly apiVersion: string; readonly kind: string; readonly hub: string }[] {
    return [...this.#differing].map(([key, { hub }]) => {
      const [apiVersion = '', kind = ''] = key.split(' ');
      return { apiVersion, kind, hub };
    });
  }

  /** Returns whether a kind is known in a version. */
  knows(apiVersion: string, kind: string): boolean {
    return this.#find(apiVersion, kind) !== undefined;
  }

  /** Returns whether any kind is known in a version. */
  knowsAny(apiVersion: string): boolean {
    const declared = this.scheme.kinds.some((each) => !each.everyGroup && formatApiVersion(each) === apiVersion);
    return declared || this.differing().some((each) => each.apiVersion === apiVersion);
  }

  /** Returns whether {@link between} can convert. */
  reaches(from: string, to: string, kind: string): boolean {
    const hub = this.#find(from, kind)?.hub;
    return hub !== undefined && hub === this.#find(to, kind)?.hub;
  }

  /**
   * Returns the conversion from one version to another.
   * @throws ConversionError for a kind that one of them does not have
   */
  between(from: string, to: string, kind: string): Convert {
    const source = this.#version(from, kind);
    const target = this.#version(to, kind);
    if (source.hub !== target.hub) {
      throw new ConversionError(`${kind} of ${from} and of ${to} are different kinds`);
    }
    return (object) => {
      if (from === to) return object;
      const hub = source.differs?.toHub?.(object, source.tools) ?? object;
      const made = target.differs?.fromHub?.(hub, target.tools) ?? hub;
      return { ...made, apiVersion: to, kind };
    };
  }

  /**
   * Converts a manifest without a change of meaning: defaults of its version for unset fields are written out if the
   * other version has different ones.
   * @throws ConversionError as {@link between} does; what `readObject` throws, where a member is not of its type
   */
  manifest(object: ApiObject, to: string): ApiObject {
    const { apiVersion: from = '', kind = '' } = object;
    const convert = this.between(from, to, kind);
    if (from === to) return object;
    const source = this.#version(from, kind);
    const spoken = source.differs?.defaults?.(object, source.tools) ?? object;
    const target = this.#version(to, kind);
    if (!target.differs?.defaults) return convert(spoken);
    const hub = this.#read(this.between(from, target.hub, kind)(spoken));
    this.fill(hub);
    return this.between(target.hub, to, kind)(hub);
  }

  /**
   * Returns the default target version: the first in discovery of the group that has the kind now. Versions of later
   * releases are kept.
   * @throws ConversionError for a kind that is unknown or was removed
   */
  latest(apiVersion: string, kind: string): string {
    const { hub, differs } = this.#version(apiVersion, kind);
    const group = parseApiVersion(differs?.successor ?? hub)?.group;
    const isMeant = (each: ResourceDefinition) => !isLater(each.lifecycle) || formatApiVersion(each) === apiVersion;
    const found = this.scheme.resources.find((each) => each.group === group && each.kind === kind && isMeant(each));
    return found ? formatApiVersion(found) : hub;
  }

  /**
   * Returns the errors that creating the object of a manifest would have, as far as its kind has rules in that version.
   */
  refusals(object: ApiObject): FieldError[] {
    const definition = this.#definition(object);
    if (!definition) return [];
    const wanted = copy(object);
    this.fill(wanted);
    const rules = kindRules(definition, this.#names);
    rules.prepareForCreate(wanted, { user: SOMEBODY, subresource: '', now: Date.now() });
    return [...rules.validateCreate(wanted)].flat();
  }

  /** Fills in the defaults of the hub of a kind. Mutates. */
  fill(object: ApiObject): void {
    const definition = this.#definition(object);
    if (!definition) return;
    applyDefaults(definition.schema, object);
    kindRules(definition, this.#names).defaults(object);
  }

  /** Reads an object of a hub, as rules take it: versions that went have no types that it was read with before. */
  #read(object: ApiObject): ApiObject {
    const definition = this.#definition(object);
    return copy(definition ? readObject(definition.schema, object as unknown as JsonValue).object : object);
  }

  #definition({ apiVersion, kind }: ApiObject): ResourceDefinition | undefined {
    return this.scheme.resources.find((each) => each.kind === kind && formatApiVersion(each) === apiVersion);
  }

  #version(apiVersion: string, kind: string): Version {
    const found = this.#find(apiVersion, kind);
    if (found) return found;
    const release = this.#gone.get(`${apiVersion} ${kind}`);
    if (release)
      throw new ConversionError(`${kind} of ${apiVersion} went with release ${release} and has no successor`);
    throw new ConversionError(`no kind ${kind} is known in ${apiVersion}`);
  }

  #find(apiVersion: string, kind: string): Version | undefined {
    const differs = this.#differing.get(`${apiVersion} ${kind}`);
    const hub = differs?.hub ?? apiVersion;
    const schema = this.#schema(hub, kind);
    return schema && { hub, differs, tools: { names: this.#names, schema } };
  }

  #schema(apiVersion: string, kind: string): StructSchema | undefined {
    const { group, version } = parseApiVersion(apiVersion) ?? {};
    if (group === undefined || version === undefined) return undefined;
    const found = this.scheme.kind(group, version, kind);
    return found?.everyGroup ? undefined : found?.schema;
  }

  /** Returns a canonical apiVersion in the names of the profile. */
  #named(apiVersion: string): string {
    const gv = parseApiVersion(apiVersion) ?? { group: '', version: apiVersion };
    return formatApiVersion({ ...gv, group: this.#names.group(gv.group) });
  }
}

const known = new WeakMap<Scheme, Conversions>();

/** Returns the conversions of a scheme, which are made once. */
export function conversionsOf(scheme: Scheme): Conversions {
  const found = known.get(scheme) ?? new Conversions(scheme);
  known.set(scheme, found);
  return found;
}

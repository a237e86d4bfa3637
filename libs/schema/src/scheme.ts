import type { Names } from '@orch/machinery';
import { buildKinds, buildResources } from './build-resources.js';
import { buildStructs } from './build-structs.js';
import type { FileDescriptor } from './descriptor.js';
import { DESCRIPTORS } from './gen/descriptors.js';
import type { KindDefinition, ResourceDefinition, StructSchema } from './model.js';

/** All declarations of `proto/`, in the names of one profile. Made once, immutable. */
export class Scheme {
  /** Resources, ordered as in discovery. Served or not: see {@link selectServed}. */
  readonly resources: readonly ResourceDefinition[];
  /** Every kind of every group-version, served or not, in the order of the declarations. */
  readonly kinds: readonly KindDefinition[];
  readonly #structs: ReadonlyMap<string, StructSchema>;
  readonly #resources: ReadonlyMap<string, ResourceDefinition>;
  readonly #kinds: ReadonlyMap<string, KindDefinition>;
  readonly #everywhere: ReadonlyMap<string, KindDefinition>;

  constructor(
    /** The profile that every group, kind and key here is named in. */
    readonly names: Names,
    files: readonly FileDescriptor[],
  ) {
    this.#structs = buildStructs(files, names);
    this.resources = buildResources(files, this.#structs, names);
    this.kinds = buildKinds(files, this.#structs, names);
    this.#resources = new Map(this.resources.map((r) => [keyOf(r.group, r.version, r.resource), r]));
    this.#kinds = new Map(this.kinds.map((k) => [keyOf(k.group, k.version, k.kind), k]));
    this.#everywhere = new Map(this.kinds.filter((k) => k.everyGroup).map((k) => [k.kind, k]));
  }

  /** Returns the collection of that name; undefined if it is not declared. */
  resource(group: string, version: string, plural: string): ResourceDefinition | undefined {
    return this.#resources.get(keyOf(group, version, plural));
  }

  /** Returns the kind of that name in a group-version, kinds of every group-version included. */
  kind(group: string, version: string, kind: string): KindDefinition | undefined {
    return this.#kinds.get(keyOf(group, version, kind)) ?? this.#everywhere.get(kind);
  }

  /**
   * Returns the struct of an id, such as `meta/v1.DeleteOptions`.
   * @throws Error when it is not declared: ids are written in code, never taken from a request.
   */
  struct(id: string): StructSchema {
    const found = this.#structs.get(id);
    if (!found) throw new Error(`no struct ${id} is declared`);
    return found;
  }

  /** Returns every struct, including those of no kind; in no particular order. */
  structs(): Iterable<StructSchema> {
    return this.#structs.values();
  }
}

const keyOf = (group: string, version: string, name: string) => `${group}/${version}/${name}`;

/** Loads everything declared under `proto/`, in the profile's names. */
export function loadScheme(names: Names): Scheme {
  return new Scheme(names, JSON.parse(DESCRIPTORS) as readonly FileDescriptor[]);
}

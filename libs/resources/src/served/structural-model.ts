import { createHash } from 'node:crypto';
import { duplicatePaths, type ReadObject, type ReadOptions, stringifyJson } from '@orch/codec';
import type { CustomVersion } from '@orch/kinds';
import { type ApiObject, goType, type JsonObject, type JsonValue, StatusError } from '@orch/machinery';
import { bothTypes, customType, type VersionTypes } from '@orch/merge';
import { fillDefaults, fillThere, normalizeObject, type Steps, TooManyDefaults } from '@orch/schema';
import { CustomModel, type MetaStructs } from '@orch/schema/openapi';
import type { ObjectModel } from './object-model.js';

/** Version of the algorithm that fits objects to their schema; incremented by each release that changes it. */
const MANNER = 2;
/** Number of values that the store has room for, besides 0, to identify a set of defaults. */
const NUMBERS = 0x7fff;

/** Model of the objects of a custom kind, by the schema that its definition declares for one version. */
export class StructuralModel implements ObjectModel {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly alsoFrom: readonly string[] = [];
  readonly struct = undefined;
  readonly declared: JsonObject | undefined;
  readonly documented: CustomModel;
  #types: VersionTypes | undefined;
  #number: number | undefined;

  constructor(
    private readonly custom: CustomVersion,
    private readonly meta: MetaStructs,
  ) {
    const { definition, declared: schema, preservesUnknown, rules } = custom;
    this.group = definition.group;
    this.version = definition.version;
    this.kind = definition.kind;
    this.declared = schema;
    this.documented = new CustomModel(
      definition,
      { schema, preservesUnknown, selectable: rules.selectableFieldNames },
      meta,
    );
  }

  /** Fingerprint of objects that were normalized to this schema, and defaulted by it: 15 bits, and never 0. */
  get number(): number {
    this.#number ??= this.#fingerprint();
    return this.#number;
  }

  *read(value: JsonValue, { duplicates }: ReadOptions = {}): Steps<ReadObject> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new TypeError(`json: cannot unmarshal ${goType(value)} into an object`);
    }
    const repeated = duplicates ? duplicatePaths({ value, duplicates }) : [];
    const unknown = yield* this.#normalize(value, false);
    const problems = [
      ...repeated.map((path) => `duplicate field "${path}"`),
      ...unknown.map((path) => `unknown field "${path}"`),
    ];
    return { object: value as ApiObject, problems };
  }

  *fillDefaults(object: ApiObject, isNew = false): Steps<boolean> {
    const schema = this.custom.schema();
    if (!isNew) return yield* fillThere(object, schema);
    try {
      yield* fillDefaults(object, schema);
      return true;
    } catch (error) {
      if (!(error instanceof TooManyDefaults)) throw error;
      throw new StatusError('RequestEntityTooLarge', `Request entity too large: ${error.message}`);
    }
  }

  *fillStatus(object: ApiObject): Steps<void> {
    if (object.status !== undefined || !this.custom.schema().defaulted.some(([name]) => name === 'status')) return;
    const filled: ApiObject = {};
    yield* this.fillDefaults(filled);
    object.status = filled.status;
  }

  /** Prunes and defaults an object that comes from the store, or from another version, by the schema. Mutates. */
  *fit(object: ApiObject): Steps<void> {
    yield* this.#normalize(object as JsonObject, true);
  }

  /** Does nothing: a number has one spelling only. */
  alignZeros(): void {}

  types(): VersionTypes {
    this.#types ??= bothTypes(customType(this.custom.schema().props as JsonObject, this.meta.objectMeta));
    return this.#types;
  }

  #normalize(object: JsonObject, dropMalformed: boolean): Steps<string[]> {
    const { preservesUnknown: preserveUnknownFields } = this.custom;
    return normalizeObject(object, this.custom.schema(), { dropMalformed, preserveUnknownFields });
  }

  #fingerprint(): number {
    const { preservesUnknown } = this.custom;
    const text = stringifyJson([MANNER, preservesUnknown, this.custom.schema().props]);
    return 1 + (createHash('sha256').update(text).digest().readUInt32BE() % NUMBERS);
  }
}

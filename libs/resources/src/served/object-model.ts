import { type ReadObject, type ReadOptions, readObject } from '@orch/codec';
import type { ApiObject, GroupVersionKind, JsonObject, JsonValue } from '@orch/machinery';
import { declaredType, type VersionTypes } from '@orch/merge';
import { alignZeros, applyDefaults, opaqueFields, type Steps, type StructSchema } from '@orch/schema';
import type { CustomModel } from '@orch/schema/openapi';
import { keepTexts, makeTexts } from '../representation/opaque-members.js';

/**
 * Model of the objects of a kind in one version: reads them, fills in defaults, and divides them into fields with
 * owners.
 */
export interface ObjectModel extends GroupVersionKind {
  /** Older versions (`policy/v1beta1`), of the same shape, that objects may be sent in as well. */
  readonly alsoFrom: readonly string[];
  /** Struct for the binary encoding and strategic merge patches; undefined for custom kinds, which have neither. */
  readonly struct: StructSchema | undefined;
  /** Schema that a definition declares, as it was written; undefined if there is none, as for built-in kinds. */
  readonly declared: JsonObject | undefined;
  /** Source of the OpenAPI schema. */
  readonly documented: StructSchema | CustomModel;
  /**
   * Reads parsed JSON or YAML as an object, and reports unknown and repeated fields. The value may be modified.
   * @throws Error for a value that is no such object; its message is for clients
   */
  read(value: JsonValue, options?: ReadOptions): Steps<ReadObject>;
  /**
   * Fills in declared defaults of absent members; those that depend on others are left to rules. Mutates.
   * @param isNew whether an object that would exceed the limits is refused; a stored one is filled in as far as they
   * allow. Default false
   * @returns whether all defaults were filled in
   * @throws StatusError for such a new one
   */
  fillDefaults(object: ApiObject, isNew?: boolean): Steps<boolean>;
  /**
   * Fills in a status with defaults if it is absent: the rules of kinds with a status subresource remove the client's,
   * defaults included. Mutates.
   */
  fillStatus(object: ApiObject): Steps<void>;
  /** Restores the spelling that `old` has for equal values. Mutates `object`. */
  alignZeros(object: ApiObject, old: ApiObject): void;
  /** Returns the fields that can have owners. */
  types(): VersionTypes;
}

/** Schema of objects whose kind is declared by a struct. */
export class DeclaredModel implements ObjectModel {
  /** API group of the kind. */
  readonly group: string;
  /** Version of the kind. */
  readonly version: string;
  /** Name of the kind. */
  readonly kind: string;

  constructor(
    { group, version, kind }: GroupVersionKind,
    readonly struct: StructSchema,
    readonly alsoFrom: readonly string[] = [],
  ) {
    this.group = group;
    this.version = version;
    this.kind = kind;
  }

  readonly declared = undefined;

  get documented(): StructSchema {
    return this.struct;
  }

  // biome-ignore lint/correctness/useYield: it takes one step
  *read(value: JsonValue, options?: ReadOptions): Steps<ReadObject> {
    const read = readObject(this.struct, value, options);
    makeTexts(read.object, opaqueFields(this.struct));
    return read;
  }

  // biome-ignore lint/correctness/useYield: it takes one step
  *fillDefaults(object: ApiObject): Steps<boolean> {
    applyDefaults(this.struct, object);
    return true;
  }

  /** Does nothing: declared kinds set their own initial status. */
  *fillStatus(): Steps<void> {}

  alignZeros(object: ApiObject, old: ApiObject): void {
    alignZeros(this.struct, object, old);
    keepTexts(object, old, opaqueFields(this.struct));
  }

  types(): VersionTypes {
    return {
      stored: declaredType(this.struct, { zeros: true }),
      configuration: declaredType(this.struct, { zeros: false }),
    };
  }
}

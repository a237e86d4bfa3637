import { type ReadObject, type ReadOptions, readObject } from '@orch/codec';
import type { ApiObject, GroupVersionKind, JsonValue } from '@orch/machinery';
import { declaredType, type VersionTypes } from '@orch/merge';
import { alignZeros, applyDefaults, type StructSchema } from '@orch/schema';

/** The form of the objects of a kind in one version: how they are read, filled in, and divided into fields that have owners. */
export interface ObjectModel extends GroupVersionKind {
  /** Older versions (`policy/v1beta1`) that objects may come in as well, of the same shape. */
  readonly alsoFrom: readonly string[];
  /** By which objects have a binary form, and strategic patches are applied. */
  readonly struct: StructSchema;
  /**
   * What JSON or YAML say, as an object; unknown and repeated fields are told.
   * @throws Error for what is no such object; the message is for clients
   */
  read(value: JsonValue, options?: ReadOptions): ReadObject;
  /** Fills in what is declared for members that are absent; what follows from others, rules fill in. Mutates. */
  fillDefaults(object: ApiObject): void;
  /** What means the same in both is written as in `old`. Mutates `object`. */
  alignZeros(object: ApiObject, old: ApiObject): void;
  /** The fields that owners can have. */
  types(): VersionTypes;
}

/** The form of objects whose kind is declared by a struct. */
export class DeclaredModel implements ObjectModel {
  readonly group: string;
  readonly version: string;
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

  read(value: JsonValue, options?: ReadOptions): ReadObject {
    return readObject(this.struct, value, options);
  }

  fillDefaults(object: ApiObject): void {
    applyDefaults(this.struct, object);
  }

  alignZeros(object: ApiObject, old: ApiObject): void {
    alignZeros(this.struct, object, old);
  }

  types(): VersionTypes {
    return { stored: declaredType(this.struct, { zeros: true }), said: declaredType(this.struct, { zeros: false }) };
  }
}

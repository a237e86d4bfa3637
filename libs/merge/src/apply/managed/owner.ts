import type { JsonObject, JsonValue } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import { type FieldSet, NO_FIELDS } from '../paths/field-set.js';
import { readInSteps, writeFieldsV1, writtenSet } from '../paths/fields-v1.js';
import { FieldsV1Error } from '../paths/written-level.js';
import type { Steps } from '../steps.js';

/** How an owner got its fields: by applying them, or by setting them. */
export type ManagedFieldsOperation = 'Apply' | 'Update';

/** Key of an entry: manager, operation and subresource, and the version for updates. */
export interface ManagerIdentifier {
  /** Name of the manager. */
  readonly manager: string;
  /** Operation of the writes that the entry stands for. */
  readonly operation: ManagedFieldsOperation;
  /** Version that the paths are of: `apps/v1`. Those of one applier follow its last apply. */
  readonly apiVersion: string;
  /** Subresource that was written: `status`; empty for the object itself. */
  readonly subresource: string;
}

/** Key that is equal for writes of one entry, and by which entries of the same time are ordered. */
export function identifier({ manager, operation, apiVersion, subresource }: ManagerIdentifier): string {
  const version = operation === 'Update' ? `,"apiVersion":${JSON.stringify(apiVersion)}` : '';
  const part = subresource === '' ? '' : `,"subresource":${JSON.stringify(subresource)}`;
  const name = manager === '' ? '' : `"manager":${JSON.stringify(manager)},`;
  return `{${name}"operation":"${operation}"${version}${part}}`;
}

/**
 * An entry of `metadata.managedFields`. Its fields are decoded on demand, and an unchanged entry is written as the very
 * object that it was read from.
 */
export class Owner {
  #fields: FieldSet | undefined;
  #entry: JsonObject | undefined;

  private constructor(
    /** Key of the entry. */
    readonly identity: ManagerIdentifier,
    /** Time of its last change, RFC 3339 in whole seconds; unset when there was none. */
    readonly time: string | undefined,
    fields: FieldSet | undefined,
    entry: JsonObject | undefined,
  ) {
    this.#fields = fields;
    this.#entry = entry;
  }

  /** Returns an owner of these fields. */
  static of(identity: ManagerIdentifier, time: string | undefined, fields: FieldSet): Owner {
    return new Owner(identity, time, fields, undefined);
  }

  /** Returns the owner of an entry, whose form has been checked. */
  static read(identity: ManagerIdentifier, time: string | undefined, entry: JsonObject): Owner {
    return new Owner(identity, time, undefined, entry);
  }

  /** The owned fields. @throws FieldsV1Error when the entry that it was read from holds no set of fields */
  get fields(): FieldSet {
    this.#fields ??= storedFields(this.#entry?.fieldsV1);
    return this.#fields;
  }

  /** Same as {@link fields}; very large sets are read in steps. @throws FieldsV1Error */
  read(): Steps<FieldSet> {
    return this.fields.read();
  }

  /** The `fieldsV1` that it was read from, while unchanged. */
  get written(): JsonValue | undefined {
    return this.#entry?.fieldsV1;
  }

  /** The same owner with its entry decoded completely, and written again. @throws FieldsV1Error */
  *reread(): Steps<Owner> {
    return Owner.of(this.identity, this.time, yield* readInSteps(this.#entry?.fieldsV1));
  }

  /** Returns the same owner with other fields; itself when they are the same set. */
  with(fields: FieldSet): Owner {
    return fields === this.#fields ? this : new Owner(this.identity, this.time, fields, undefined);
  }

  /** Whole seconds since 1970; 0 without a time, for the order of entries. */
  get seconds(): number {
    return this.time === undefined ? 0 : Math.floor(Date.parse(this.time) / 1000) || 0;
  }

  /** Returns the entry to store in an object. */
  entry(): JsonObject {
    this.#entry ??= this.#write();
    return this.#entry;
  }

  #write(): JsonObject {
    const { manager, operation, apiVersion, subresource } = this.identity;
    const entry: JsonObject = {};
    if (manager !== '') entry.manager = manager;
    entry.operation = operation;
    entry.apiVersion = apiVersion;
    if (this.time !== undefined) entry.time = this.time;
    entry.fieldsType = 'FieldsV1';
    entry.fieldsV1 = writeFieldsV1(this.fields);
    if (subresource !== '') entry.subresource = subresource;
    return entry;
  }
}

/** Written by the server, so it is read level by level, on demand. @throws FieldsV1Error */
function storedFields(fieldsV1: JsonValue | undefined): FieldSet {
  if (fieldsV1 === undefined || fieldsV1 === null) return NO_FIELDS;
  if (!isObject(fieldsV1)) throw new FieldsV1Error('fieldsV1 must be an object');
  return writtenSet(fieldsV1);
}

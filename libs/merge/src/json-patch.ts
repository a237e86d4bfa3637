import { type JsonObject, type JsonValue, memberOf, setMember } from '@orch/machinery';
import type { Type } from './apply/types/type.js';
import { zeroAt } from './apply/values/zero-at.js';
import { MalformedPatchError, PatchTooLargeError, UnprocessablePatchError } from './errors.js';
import { cloneJson, equalJson, isObject, jsonSize } from './json-values.js';

/** Limits of a patch; exceeding the number of operations is a {@link PatchTooLargeError}. */
export interface JsonPatchOptions {
  /** Default 10,000. */
  readonly maxOperations?: number;
  /** Bytes that all `copy` operations together may add. Default 3 MiB. */
  readonly maxCopyBytes?: number;
  /** Items that all operations together may move to open or close gaps in lists. Default 20 million. */
  readonly maxMovedItems?: number;
  /**
   * Type of the document: fields that clients with declared types always write exist for operations, even if omitted.
   */
  readonly type?: Type;
}

const MAX_OPERATIONS = 10_000;
const MAX_COPY_BYTES = 3 * 1024 * 1024;
const MAX_MOVED_ITEMS = 20_000_000;

type Container = JsonObject | JsonValue[];

/**
 * Applies a JSON patch (RFC 6902), with the deviations of the implementation that clients are used to: `replace` and
 * `copy` treat a missing member as null, negative indexes count from the end. The document becomes the result, and must
 * not be used when this throws; the patch is not changed, and the result shares nothing with it.
 * @throws MalformedPatchError for what is not a list of operations, PatchTooLargeError, and UnprocessablePatchError for
 * operations that do not apply
 */
export function applyJsonPatch(document: JsonValue, patch: JsonValue, options: JsonPatchOptions = {}): JsonValue {
  const { maxOperations = MAX_OPERATIONS } = options;
  if (!Array.isArray(patch) || !patch.every(isObject)) {
    throw new MalformedPatchError('not-a-patch', 'a JSON patch must be an array of operations');
  }
  if (patch.length > maxOperations) {
    const text = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`;
    throw new PatchTooLargeError('too-large', text);
  }
  const run = new PatchRun(document, options);
  for (const operation of patch as JsonObject[]) run.apply(operation);
  return run.document;
}

/** A document that operations are applied to. */
class PatchRun {
  readonly #maxCopyBytes: number;
  readonly #maxMovedItems: number;
  readonly #type: Type | undefined;
  #copied = 0;
  #moved = 0;

  constructor(
    public document: JsonValue,
    { maxCopyBytes = MAX_COPY_BYTES, maxMovedItems = MAX_MOVED_ITEMS, type }: JsonPatchOptions,
  ) {
    this.#maxCopyBytes = maxCopyBytes;
    this.#maxMovedItems = maxMovedItems;
    this.#type = type;
  }

  apply(operation: JsonObject): void {
    const { op } = operation;
    switch (op) {
      case 'add':
        this.#add(pathOf(operation, 'path', op), cloneJson(operandOf(operation, op)), op);
        break;
      case 'remove':
        this.#remove(pathOf(operation, 'path', op), op);
        break;
      case 'replace':
        this.#replace(pathOf(operation, 'path', op), cloneJson(operandOf(operation, op)));
        break;
      case 'move':
        this.#move(pathOf(operation, 'from', op), pathOf(operation, 'path', op));
        break;
      case 'copy':
        this.#add(pathOf(operation, 'path', op), this.#copyOf(pathOf(operation, 'from', op)), op);
        break;
      case 'test':
        this.#test(pathOf(operation, 'path', op), operandOf(operation, op));
        break;
      default:
        throw new UnprocessablePatchError(
          'unknown-operation',
          `Unexpected kind: ${typeof op === 'string' ? op : 'unknown'}`,
        );
    }
  }

  #move(from: string, path: string): void {
    const moved = this.#get(from, 'move') ?? null;
    this.#remove(from, 'move');
    this.#add(path, moved, 'move');
  }

  #add(path: string, value: JsonValue, op: string): void {
    const { container, key } = this.#locate(path, op);
    if (Array.isArray(container)) {
      const index = key === '-' ? container.length : indexOf(key, container.length + 1, path, op);
      this.#splice(container, index, 0, value);
    } else {
      setMember<JsonValue | undefined>(container, key, value);
    }
  }

  /** Everything behind the index is moved, which is cheap for one operation and expensive for thousands. */
  #splice(list: JsonValue[], index: number, removed: number, ...added: JsonValue[]): void {
    this.#moved += list.length - index;
    if (this.#moved > this.#maxMovedItems) {
      const text = `Unable to apply the patch, its operations move more than ${this.#maxMovedItems} items of lists`;
      throw new UnprocessablePatchError('too-large', text);
    }
    list.splice(index, removed, ...added);
  }

  #remove(path: string, op: string): void {
    const { container, key } = this.#locate(path, op);
    if (Array.isArray(container)) {
      this.#splice(container, indexOf(key, container.length, path, op), 1);
      return;
    }
    if (memberOf(container, key) === undefined && this.#zeroAt(keysOf(path, op)) === undefined) throw missing(op, path);
    delete container[key];
  }

  #replace(path: string, value: JsonValue): void {
    if (path === '') {
      if (!isObject(value) && !Array.isArray(value)) {
        throw new UnprocessablePatchError('missing-path', 'replace operation value must be object or array');
      }
      this.document = value;
      return;
    }
    const { container, key } = this.#locate(path, 'replace');
    if (Array.isArray(container)) container[indexOf(key, container.length, path, 'replace')] = value;
    else setMember<JsonValue | undefined>(container, key, value);
  }

  #test(path: string, expected: JsonValue): void {
    if (equalJson(this.#get(path, 'test') ?? null, expected)) return;
    throw new UnprocessablePatchError('test-failed', `testing value ${path} failed: test failed`);
  }

  #copyOf(from: string): JsonValue {
    const value = this.#get(from, 'copy') ?? null;
    this.#copied += jsonSize(value);
    if (this.#copied > this.#maxCopyBytes) {
      const text = `Unable to complete the copy, the accumulated size increase of copy is ${this.#copied}, exceeding the limit ${this.#maxCopyBytes}`;
      throw new UnprocessablePatchError('too-large', text);
    }
    return cloneJson(value);
  }

  /** Returns the value at a path; undefined for a missing member. */
  #get(path: string, op: string): JsonValue | undefined {
    let value: JsonValue | undefined = this.document;
    const keys = keysOf(path, op);
    keys.forEach((key, depth) => {
      if (Array.isArray(value)) value = value[indexOf(key, value.length, path, op)];
      else if (isObject(value)) value = memberOf(value, key) ?? this.#zeroAt(keys.slice(0, depth + 1));
      else throw missing(op, path);
      if (value === undefined && depth < keys.length - 1) throw missing(op, path);
    });
    return value;
  }

  /** Finds the container that a path ends in. */
  #locate(path: string, op: string): { container: Container; key: string } {
    const keys = keysOf(path, op);
    const key = keys.pop();
    if (key === undefined) throw missing(op, path);
    let container = containerOf(this.document, path, op);
    keys.forEach((step, depth) => {
      const next = Array.isArray(container)
        ? container[indexOf(step, container.length, path, op)]
        : this.#member(container, step, () => keys.slice(0, depth + 1));
      container = containerOf(next, path, op);
    });
    return { container, key };
  }

  /** A member of the container on the path, created if it is one that is always written. */
  #member(container: JsonObject, name: string, way: () => readonly string[]): JsonValue | undefined {
    const present = memberOf(container, name);
    if (present !== undefined) return present;
    const zero = this.#zeroAt(way());
    if (zero !== undefined) setMember<JsonValue | undefined>(container, name, zero);
    return zero;
  }

  #zeroAt(keys: readonly string[]): JsonValue | undefined {
    const zero = this.#type && zeroAt(this.#type, keys);
    return zero === undefined ? undefined : cloneJson(zero);
  }
}

function containerOf(value: JsonValue | undefined, path: string, op: string): Container {
  if (Array.isArray(value) || isObject(value)) return value;
  throw missing(op, path);
}

const missing = (op: string, path: string) =>
  new UnprocessablePatchError(
    'missing-path',
    `${op} operation does not apply: doc is missing path: ${JSON.stringify(path)}: missing value`,
  );

function pathOf(operation: JsonObject, member: 'path' | 'from', op: string): string {
  const path = operation[member];
  if (typeof path === 'string') return path;
  throw new UnprocessablePatchError('missing-path', `${op} operation failed to decode ${member}: missing value`);
}

function operandOf(operation: JsonObject, op: string): JsonValue {
  if (operation.value !== undefined) return operation.value;
  throw new UnprocessablePatchError('missing-path', `${op} operation failed to decode value: missing value`);
}

/** Keys of a JSON pointer (RFC 6901). */
function keysOf(path: string, op: string): string[] {
  if (path === '') return [];
  if (!path.startsWith('/')) throw missing(op, path);
  const keys = path.slice(1).split('/');
  return keys.map((key) => (key.includes('~') ? key.replaceAll('~1', '/').replaceAll('~0', '~') : key));
}

const INDEX = /^-?\d{1,15}$/;

/** @param places number of valid indexes; negative ones count back from it */
function indexOf(key: string, places: number, path: string, op: string): number {
  const given = INDEX.test(key) ? Number(key) : Number.NaN;
  const index = given < 0 ? given + places : given;
  if (index >= 0 && index < places) return index;
  throw new UnprocessablePatchError(
    'index',
    `${op} operation does not apply: error at path ${JSON.stringify(path)}: Unable to access invalid index: ${key}`,
  );
}

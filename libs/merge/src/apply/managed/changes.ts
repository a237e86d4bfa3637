import type { JsonObject } from '@orch/machinery';
import { recursiveDifferenceInSteps, unionInSteps } from '../paths/algebra-in-steps.js';
import { type FieldSet, NO_FIELDS, union } from '../paths/field-set.js';
import { Remembered } from '../paths/remembered.js';
import { recursiveDifference } from '../paths/set-algebra.js';
import { STEP, type Steps } from '../steps.js';
import type { Comparison } from '../values/compare.js';
import { compareInSteps } from '../values/compare-in-steps.js';
import type { Work } from './conversion.js';
import type { ManagedKind } from './kind.js';

/** Field sets that a write changes. */
export interface Changes extends Comparison {
  /** Everything that was set or removed. */
  readonly all: FieldSet;
}

const withoutAll = new Remembered(recursiveDifference, recursiveDifferenceInSteps);
const join = new Remembered(union, unionInSteps);

const NO_CHANGES: Changes = { set: NO_FIELDS, removed: NO_FIELDS, all: NO_FIELDS };

/** Which of the types of a version the objects are of. */
type View = 'stored' | 'configuration';

/**
 * Computes the changes of a write, in the version of the request and in the others in which fields are owned: those
 * must be compared in their own version, as a field may have another name there. Objects are converted on demand only.
 */
export class ChangesByVersion {
  readonly #known = new Map<string, Changes>();
  readonly #equal: boolean;

  private constructor(
    private readonly kind: ManagedKind,
    private readonly before: JsonObject,
    private readonly after: JsonObject,
    own: Comparison,
  ) {
    this.#equal = own.set.isEmpty && own.removed.isEmpty;
  }

  /** Compares the objects before and after a write. */
  static *between(kind: ManagedKind, view: View, before: JsonObject, after: JsonObject): Work<ChangesByVersion> {
    const type = kind.typesOf(kind.apiVersion)?.[view];
    const own = type ? yield* compareInSteps(type, before, after) : NO_CHANGES;
    yield STEP;
    const changes = new ChangesByVersion(kind, before, after, own);
    changes.#known.set(kind.apiVersion, yield* changes.#without(own, kind.apiVersion));
    return changes;
  }

  /** Changes in the version of the request. */
  get own(): Changes {
    return this.#known.get(this.kind.apiVersion) ?? NO_CHANGES;
  }

  /** Changes in any version; undefined when it does not exist any more. */
  *in(apiVersion: string): Work<Changes | undefined> {
    const known = this.#known.get(apiVersion);
    if (known) return known;
    const type = this.kind.typesOf(apiVersion)?.stored;
    if (type === undefined) return undefined;
    if (this.#equal) return NO_CHANGES;
    // An object that does not exist yet is equally empty in every version.
    const before = this.before.kind === undefined ? this.before : yield { object: this.before, apiVersion };
    const after = before && (yield { object: this.after, apiVersion });
    if (!before || !after) return undefined;
    const changes = yield* this.#without(yield* compareInSteps(type, before, after), apiVersion);
    this.#known.set(apiVersion, changes);
    return changes;
  }

  *#without({ set, removed }: Comparison, apiVersion: string): Steps<Changes> {
    const reset = this.kind.resetFields?.get(apiVersion) ?? NO_FIELDS;
    const left = withoutAll.known(set, reset) ?? (yield* withoutAll.made(set, reset));
    const gone = withoutAll.known(removed, reset) ?? (yield* withoutAll.made(removed, reset));
    return { set: left, removed: gone, all: join.known(left, gone) ?? (yield* join.made(left, gone)) };
  }
}

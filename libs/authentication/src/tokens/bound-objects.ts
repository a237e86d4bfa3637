/**
 * Tolerated clock difference between issuer and verifier, and how long a token outlives the objects that it is bound
 * to, ms (as jwt.DefaultLeeway of go-jose).
 */
export const LEEWAY_MS = 60_000;

/** Name of an object that a credential may be bound to. */
export interface ObjectName {
  /** Kind of the core group. */
  readonly kind: 'ServiceAccount' | 'Pod' | 'Secret';
  /** Namespace of the object; never empty. */
  readonly namespace: string;
  /** Unique among those of its kind in the namespace. */
  readonly name: string;
}

/** Known state of such an object. The same instance for as long as it does not change. */
export interface KnownObject {
  /** Distinguishes it from earlier or later objects of the same name. */
  readonly uid: string;
  /** Deletion time, milliseconds since the epoch; undefined while no deletion was requested. */
  readonly deletedAt?: number;
  /** Type of a Secret. */
  readonly type?: string;
  /** Data of a token Secret, as text. */
  readonly data?: Readonly<Record<string, string>>;
}

/** The API's own objects, as they were at most a second ago. */
export interface KnownObjects {
  /** Finds an object; undefined if it does not exist. @throws Error when that cannot be determined */
  find(object: ObjectName): KnownObject | undefined | Promise<KnownObject | undefined>;
}

/** An object without which a credential is not good. */
export interface Binding {
  /** Key of the object. */
  readonly object: ObjectName;
  /**
   * Why the credential is not good any more; undefined when it is.
   * @param found the object as it is; undefined when there is none
   * @param now milliseconds since the epoch
   */
  refusal(found: KnownObject | undefined, now: number): string | undefined;
}

/** Names an object among all of them: for maps. */
export const keyOfObject = ({ kind, namespace, name }: ObjectName): string => `${kind}/${namespace}/${name}`;

/** How it stands with a credential. */
export interface Standing {
  /** Why it is not good; undefined when it is. */
  readonly refusal?: string;
  /** When it ends as what it is bound to is being deleted, milliseconds since the epoch; undefined where nothing is. */
  readonly endsAt?: number;
}

/** How it stands with a credential by the objects it is bound to. @throws as `objects` does */
export async function standingOf(
  bindings: readonly Binding[],
  objects: KnownObjects,
  now: () => number,
): Promise<Standing> {
  let endsAt = Number.POSITIVE_INFINITY;
  for (const { object, refusal } of bindings) {
    const known = objects.find(object);
    const found = known instanceof Promise ? await known : known;
    const refused = refusal(found, now());
    if (refused !== undefined) return { refusal: refused };
    if (found?.deletedAt !== undefined) endsAt = Math.min(endsAt, found.deletedAt + LEEWAY_MS);
  }
  return endsAt < Number.POSITIVE_INFINITY ? { endsAt } : {};
}

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
  /** Name of the object. */
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

/** The API's own objects, at most a second old. */
export interface BoundObjectGetter {
  /** Finds an object; undefined if it does not exist. @throws Error when that cannot be determined */
  find(object: ObjectName): KnownObject | undefined | Promise<KnownObject | undefined>;
}

/** An object that a credential depends on. */
export interface BoundObject {
  /** Key of the object. */
  readonly object: ObjectName;
  /**
   * Returns why the credential is not valid any more; undefined if it is.
   * @param found the current object; undefined when there is none
   * @param now milliseconds since the epoch
   */
  refusal(found: KnownObject | undefined, now: number): string | undefined;
}

/** Returns a key of an object, for maps. */
export const keyOfObject = ({ kind, namespace, name }: ObjectName): string => `${kind}/${namespace}/${name}`;

/** Validity of a credential. */
export interface Standing {
  /** Why it is not valid; undefined if it is. */
  readonly refusal?: string;
  /** Expiry because a bound object is being deleted, milliseconds since the epoch; undefined if none is. */
  readonly endsAt?: number;
}

/** Returns the validity of a credential by its bound objects. @throws as `objects` does */
export async function standingOf(
  bindings: readonly BoundObject[],
  objects: BoundObjectGetter,
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

/**
 * How far clocks of those who issue and those who verify may be apart, and how long a token outlives what it is bound to, ms (as
 * jwt.DefaultLeeway of go-jose).
 */
export const LEEWAY_MS = 60_000;

/** What a credential may live and die with. */
export interface ObjectName {
  /** Kind of the core group. */
  readonly kind: 'ServiceAccount' | 'Pod' | 'Secret';
  /** Where it lies; never empty. */
  readonly namespace: string;
  /** Unique among those of its kind in the namespace. */
  readonly name: string;
}

/** What is looked at of such an object. The same one each time, for as long as it does not change. */
export interface KnownObject {
  /** Tells it from others that had the name at other times. */
  readonly uid: string;
  /** When it is deleted, or has been, milliseconds since the epoch; undefined where nobody has asked for that. */
  readonly deletedAt?: number;
  /** Type of a Secret. */
  readonly type?: string;
  /** Of a Secret that is a token: its data as text. */
  readonly data?: Readonly<Record<string, string>>;
}

/** The API's own objects, as they were at most a second ago. */
export interface KnownObjects {
  /** Undefined where there is none. @throws Error when that cannot be told */
  find(object: ObjectName): KnownObject | undefined | Promise<KnownObject | undefined>;
}

/** An object without which a credential is not good. */
export interface Binding {
  /** Where it lies. */
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

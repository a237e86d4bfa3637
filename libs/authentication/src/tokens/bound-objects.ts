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

/** Why a credential is not good for one of the objects it is bound to; undefined when it is. @throws as `objects` does */
export async function refusalOf(
  bindings: readonly Binding[],
  objects: KnownObjects,
  now: () => number,
): Promise<string | undefined> {
  for (const { object, refusal } of bindings) {
    const found = objects.find(object);
    const refused = refusal(found instanceof Promise ? await found : found, now());
    if (refused !== undefined) return refused;
  }
  return undefined;
}

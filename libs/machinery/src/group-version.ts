/** The group and version of an API; the core group is the empty string. */
export interface GroupVersion {
  /** Such as `apps`, in the form of the naming profile; empty for the core group. */
  readonly group: string;
  /** Such as `v1` or `v1beta1`. */
  readonly version: string;
}

/** Identifies the schema of an object. */
export interface GroupVersionKind extends GroupVersion {
  /** In upper camel case, singular: `Deployment`. */
  readonly kind: string;
}

/** Identifies a collection as in a URL (`resource` is the plural). */
export interface GroupVersionResource extends GroupVersion {
  /** Plural, lower case: `deployments`; no subresource. */
  readonly resource: string;
}

/** A collection without a version, as in errors and permissions. */
export interface GroupResource {
  /** Empty for the core group. */
  readonly group: string;
  /** Plural, lower case: `deployments`. */
  readonly resource: string;
}

/** `v1` for the core group, else `group/version`. */
export function formatApiVersion(gv: GroupVersion): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

/** Parses an apiVersion; undefined for an invalid one. */
export function parseApiVersion(apiVersion: string): GroupVersion | undefined {
  const parts = apiVersion.split('/');
  if (parts.length === 1 && parts[0]) return { group: '', version: parts[0] };
  if (parts.length === 2 && parts[0] && parts[1]) return { group: parts[0], version: parts[1] };
  return undefined;
}

/** `deployments.apps`, or `pods` in the core group. */
export function formatGroupResource(gr: GroupResource): string {
  return gr.group === '' ? gr.resource : `${gr.resource}.${gr.group}`;
}

/** Stability levels in version names, the least first; a name without one is stable. */
const STABILITY = ['alpha', 'beta', ''];
const RELEASED = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const MOST_OF_NUMBER = 2n ** 63n - 1n;

/**
 * Compares versions of a group by preference: negative when `a` is less preferred than `b`. Stable versions (`v2`) are
 * preferred to `v2beta1`, these to `v2alpha1`, of equal stability the greater number, and other names come last,
 * alphabetically.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [rankOf(a), rankOf(b)];
  if (!left || !right) return left ? 1 : right ? -1 : Number(b > a) - Number(a > b);
  for (const [at, rank] of left.entries()) {
    const other = right[at] as bigint;
    if (rank !== other) return rank > other ? 1 : -1;
  }
  return 0;
}

/** Returns stability, major number, and that of the alpha or beta; undefined for names of another form. */
function rankOf(version: string): readonly bigint[] | undefined {
  const [, major, level = '', minor = '0'] = RELEASED.exec(version) ?? [];
  if (major === undefined) return undefined;
  const numbers = [BigInt(major), BigInt(minor)];
  return numbers.some((number) => number > MOST_OF_NUMBER) ? undefined : [BigInt(STABILITY.indexOf(level)), ...numbers];
}

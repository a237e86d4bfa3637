/** The group and version of an API; the core group is the empty string. */
export interface GroupVersion {
  /** Such as `apps`, in the form of the naming profile; empty for the core group. */
  readonly group: string;
  /** Such as `v1` or `v1beta1`. */
  readonly version: string;
}

/** Names the schema of an object. */
export interface GroupVersionKind extends GroupVersion {
  /** In upper camel case, singular: `Deployment`. */
  readonly kind: string;
}

/** Names a collection as it stands in a URL (`resource` is the plural). */
export interface GroupVersionResource extends GroupVersion {
  /** Plural, lower case: `deployments`; no subresource. */
  readonly resource: string;
}

/** A collection without a version: what errors and permissions speak of. */
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

/** The inverse of {@link formatApiVersion}; undefined for what is not an apiVersion. */
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

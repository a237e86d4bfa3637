import type { GroupVersionResource } from '@orch/machinery';

/** A collection of objects: all of a resource, or those of one namespace. */
export interface ResourceRef extends GroupVersionResource {
  /** Unset or empty: all namespaces, or a cluster-scoped resource. */
  readonly namespace?: string;
}

/** Values of query parameters; undefined ones are not sent. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The path of a collection, an object, or a subresource (spec: "Path shapes"). */
export function resourcePath(ref: ResourceRef, name?: string, subresource?: string): string {
  const root = ref.group === '' ? ['api'] : ['apis', ref.group];
  const scope = ref.namespace ? ['namespaces', ref.namespace] : [];
  const parts = [...root, ref.version, ...scope, ref.resource, ...(name === undefined ? [] : [name])];
  if (name === '') throw new TypeError('the name of the object is empty');
  return `/${[...parts, ...(subresource ? subresource.split('/') : [])].map(encodeURIComponent).join('/')}`;
}

/** Appends the query parameters that have a value to a path. */
export function withQuery(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size > 0 ? `${path}?${search}` : path;
}

/** Bytes of a path that Go escapes (net/url). */
const ESCAPED = /[^A-Za-z0-9\-_.~$&+,/:;=@]/g;

/**
 * Cleans the path of a URL as clients of Go do before the request (path.Join, then net/url): `//mutate/` becomes
 * `/mutate`, `/a%2Fb` becomes `/a/b`. Servers built with net/http redirect an uncleaned path.
 */
export function cleanPath(path: string): string {
  const bytes = Buffer.from(path).toString('latin1');
  const decoded = bytes.replace(/%([0-9A-Fa-f]{2})/g, (_escape, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  const kept: string[] = [];
  for (const part of decoded.split('/')) {
    if (part === '..') kept.pop();
    else if (part !== '' && part !== '.') kept.push(part);
  }
  return `/${kept.join('/')}`.replace(
    ESCAPED,
    (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  );
}

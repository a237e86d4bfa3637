/** What a URL asks for, before anything is looked up (spec: "Path shapes"). */
export interface ResourceRequest {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty for cluster-scoped paths and for collections across all namespaces. */
  readonly namespace: string;
  /** Empty for collections. */
  readonly name: string;
  readonly subresource: string;
  /** What follows the subresource, for proxied subresources; mostly empty. */
  readonly rest: string;
}

const decode = (segment: string): string | undefined => {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
};

/**
 * Reads `/api/v1/…` and `/apis/<group>/<version>/…`.
 * Undefined for paths that are not of that shape (discovery, health, …) or that cannot be decoded.
 */
export function parseResourcePath(path: string): ResourceRequest | undefined {
  const segments = path.split('/');
  let at: number;
  let group: string;
  if (segments[1] === 'api') {
    group = '';
    at = 2;
  } else if (segments[1] === 'apis') {
    group = segments[2] ?? '';
    at = 3;
  } else return undefined;
  const parts: string[] = [];
  for (const raw of segments.slice(at)) {
    const segment = decode(raw);
    if (segment === undefined) return undefined;
    parts.push(segment);
  }
  if (parts.at(-1) === '') parts.pop();
  const [version, ...tail] = parts;
  if (!version || tail.length === 0 || tail.some((part) => part === '')) return undefined;
  return scoped(group, version, tail);
}

/** `namespaces/<ns>/<resource>/…` is namespaced; `namespaces/<name>[/status|finalize]` is the namespace itself. */
function scoped(group: string, version: string, tail: readonly string[]): ResourceRequest {
  const inNamespace =
    tail[0] === 'namespaces' &&
    tail.length > 2 &&
    !(group === '' && tail.length === 3 && NAMESPACE_SUBRESOURCES.has(tail[2] ?? ''));
  const [namespace, rest] = inNamespace ? [tail[1] ?? '', tail.slice(2)] : ['', tail];
  return {
    group,
    version,
    namespace,
    resource: rest[0] ?? '',
    name: rest[1] ?? '',
    subresource: rest[2] ?? '',
    rest: rest.slice(3).join('/'),
  };
}

const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);

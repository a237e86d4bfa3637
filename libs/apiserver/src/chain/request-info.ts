import { badRequest } from '@orch/machinery';

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
  /** The path itself asks for a watch, as `/api/v1/watch/…` did before there was a query for it. */
  readonly watching: boolean;
}

/** Longer segments name nothing, and the database need not hear of them. */
const MAX_SEGMENT_BYTES = 1024;

function decode(segment: string): string {
  const text = segment.includes('%') ? unescaped(segment) : segment;
  if (text.includes('\0')) throw badRequest('a segment of the path holds a NUL character');
  if (Buffer.byteLength(text) > MAX_SEGMENT_BYTES) {
    throw badRequest(`a segment of the path is longer than ${MAX_SEGMENT_BYTES} bytes`);
  }
  return text;
}

function unescaped(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest('a segment of the path is not well-formed');
  }
}

/**
 * Reads `/api/v1/…` and `/apis/<group>/<version>/…`, both also with `watch/` behind the version.
 * Undefined for paths that are not of that shape (discovery, health, …).
 * @throws StatusError 400 for segments that cannot be decoded, hold NUL or are over 1,024 bytes
 */
export function parseResourcePath(path: string): ResourceRequest | undefined {
  const segments = path.split('/');
  if (segments[0] !== '') return undefined;
  let at: number;
  let group: string;
  if (segments[1] === 'api') {
    group = '';
    at = 2;
  } else if (segments[1] === 'apis') {
    group = decode(segments[2] ?? '');
    at = 3;
  } else return undefined;
  const parts = segments.slice(at).map(decode);
  if (parts.at(-1) === '') parts.pop();
  const [version, ...tail] = parts;
  if (!version || tail.length === 0 || tail.some((part) => part === '')) return undefined;
  const watching = tail[0] === 'watch' && tail.length > 1;
  return { ...scoped(group, version, watching ? tail.slice(1) : tail), watching };
}

/** `namespaces/<ns>/<resource>/…` is namespaced; `namespaces/<name>[/status|finalize]` is the namespace itself. */
function scoped(group: string, version: string, tail: readonly string[]): Omit<ResourceRequest, 'watching'> {
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

import type { RequestAttributes } from '@orch/authorization';
import { badRequest, parseFieldSelector } from '@orch/machinery';
import { parseBool } from '@orch/reading';
import { isStream } from '@orch/schema';

/**
 * Attributes of a request, parsed once from method, path and query before authentication; the authorizer, limits, the
 * router and metrics all use this record.
 */
export interface RequestInfo extends RequestAttributes {
  /** HTTP method as the client sent it. */
  readonly method: string;
  /** Namespace that contains the object: empty for cluster-scoped objects, including namespaces. */
  readonly within: string;
  /** Name in the path, whereas `name` may also come from a field selector. */
  readonly pathName: string;
  /** Path behind the subresource; usually empty. */
  readonly rest: string;
  /** Whether the path has an empty namespace (`/api/v1/namespaces//pods`), which means all namespaces. */
  readonly emptyNamespace: boolean;
  /** Verb before the resource in the path (`/api/v1/watch/…`), the form that preceded the query parameter. */
  readonly oldPrefix: '' | 'watch' | 'proxy';
}

/** Longer segments name nothing, and are refused before the database is asked. */
const MAX_SEGMENT_BYTES = 1024;

function decode(segment: string): string {
  const text = segment.includes('%') ? unescaped(segment) : segment;
  if (text.includes('\0')) throw badRequest('a segment of the path holds a NUL character');
  // A character takes three bytes at most.
  if (text.length * 3 > MAX_SEGMENT_BYTES && Buffer.byteLength(text) > MAX_SEGMENT_BYTES) {
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

/** Attributes of a request for a path that is no resource, such as discovery and health. */
export const bareRequest = (method: string, path: string): RequestInfo => ({
  method,
  verb: method.toLowerCase(),
  isResourceRequest: false,
  path,
  group: '',
  version: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  within: '',
  pathName: '',
  rest: '',
  emptyNamespace: false,
  oldPrefix: '',
});

/**
 * Parses `/api/<version>/…` and `/apis/<group>/<version>/…`, both also with `watch/` behind the version; any other path
 * is a non-resource one.
 * @throws StatusError 400 for segments that cannot be decoded, hold NUL or are over 1,024 bytes
 */
export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const segments = path.split('/');
  const groups = segments[1] === 'apis';
  if (segments[0] !== '' || !(groups || segments[1] === 'api')) return bareRequest(method, path);
  const parts = segments.slice(2).map(decode);
  while (parts.at(-1) === '') parts.pop();
  const group = groups ? (parts.shift() ?? '') : '';
  const version = parts.shift();
  const oldPrefix = oldPrefixOf(parts);
  if (oldPrefix !== '') parts.shift();
  const emptyNamespace = parts[1] === '' && isInNamespace(group, parts);
  if (!version || parts.length === 0 || holdsEmpty(group, parts, emptyNamespace)) return bareRequest(method, path);
  const place = placeOf(group, parts);
  const { resource, pathName, subresource } = place;
  const verb = oldPrefix || verbOf(method, place, query);
  const chosen = pathName === '' && (verb === 'list' || verb === 'watch') ? selectedName(query) : '';
  const isNamespace = group === '' && resource === 'namespaces' && pathName !== '' && place.within === '';
  return {
    method,
    verb,
    isResourceRequest: true,
    path,
    group,
    version,
    resource,
    subresource,
    namespace: isNamespace ? pathName : place.within,
    name: pathName || chosen,
    within: place.within,
    pathName,
    rest: place.rest,
    emptyNamespace,
    oldPrefix,
  };
}

/** Whether a segment is empty, but for a namespace, and for what stands behind a proxy: a path of the server there. */
function holdsEmpty(group: string, parts: readonly string[], emptyNamespace: boolean): boolean {
  const to = isInNamespace(group, parts) ? 5 : 3;
  const own = parts[to - 1] === 'proxy' ? parts.slice(0, to) : parts;
  return own.some((part, at) => part === '' && !(emptyNamespace && at === 1));
}

function oldPrefixOf([first, ...others]: readonly string[]): RequestInfo['oldPrefix'] {
  return others.length > 0 && (first === 'watch' || first === 'proxy') ? first : '';
}

const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);

interface Place {
  readonly within: string;
  readonly resource: string;
  readonly pathName: string;
  readonly subresource: string;
  readonly rest: string;
}

/** `namespaces/<ns>/<resource>/…` is namespaced; `namespaces/<name>[/status|finalize]` is the namespace itself. */
function isInNamespace(group: string, parts: readonly string[]): boolean {
  const ofNamespace = group === '' && parts.length === 3 && NAMESPACE_SUBRESOURCES.has(parts[2] ?? '');
  return parts[0] === 'namespaces' && parts.length > 2 && !ofNamespace;
}

function placeOf(group: string, parts: readonly string[]): Place {
  const inNamespace = isInNamespace(group, parts);
  const at = inNamespace ? 2 : 0;
  return {
    within: inNamespace ? (parts[1] ?? '') : '',
    resource: parts[at] ?? '',
    pathName: parts[at + 1] ?? '',
    subresource: parts[at + 2] ?? '',
    rest: parts.length > at + 3 ? parts.slice(at + 3).join('/') : '',
  };
}

/** Verb of a request; empty for methods that no resource supports. */
function verbOf(method: string, { pathName, subresource }: Place, query: URLSearchParams): string {
  switch (method) {
    case 'GET':
    case 'HEAD': {
      if (subresource === '' && query.size > 0 && parseBool(query, 'watch') === true) return 'watch';
      return pathName === '' ? 'list' : 'get';
    }
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return pathName === '' ? 'deletecollection' : 'delete';
    default:
      return '';
  }
}

/** Name that a field selector selects. A malformed selector is refused later, and selects none. */
function selectedName(query: URLSearchParams): string {
  const text = query.size === 0 ? null : query.get('fieldSelector');
  if (!text) return '';
  try {
    const name = parseFieldSelector(text).equalities().get('metadata.name') ?? '';
    return name === '.' || name === '..' || /[/%]/.test(name) ? '' : name;
  } catch {
    return '';
  }
}

/**
 * Whether a response is a long-running stream, which has no deadline and is exempt from the limits on short requests.
 */
export const isLongRunning = ({ verb, isResourceRequest, subresource }: RequestInfo): boolean =>
  isResourceRequest && (verb === 'watch' || verb === 'proxy' || isStream(subresource));

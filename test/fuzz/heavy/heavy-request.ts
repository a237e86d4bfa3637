/** Largest body that a server takes without options. */
export const MAX_BODY_BYTES = 3 << 20;

/** Most values that a body may hold without options. */
export const MAX_VALUES = 50_000;

/** Room for what the server adds to an object of its own: version, times, a status. */
export const ROOM_VALUES = 50;

/** Folder of the namespace that heavy requests work in. */
const NAMESPACED = 'namespaces/default';
export const CORE = `/api/v1/${NAMESPACED}`;

/** A request that costs as much as one of its kind can. */
export interface HeavyRequest {
  /** Names it in results: what it is made of, then how. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: () => Buffer;
  /** Sent before, once, so that the object is there that the request is about. */
  readonly before?: HeavyRequest;
}

export interface Filling {
  readonly separator?: string;
  /** Size of the whole body; the allowed maximum if absent. */
  readonly bytes?: number;
  /** Most pieces. */
  readonly count?: number;
  /** Values that a piece counts for; what stands in it when absent. */
  readonly values?: number;
}

/** Values of a piece of JSON and of the comma behind it. */
export const valuesOf = (piece: string): number => 1 + (piece.match(/[[{,]/g)?.length ?? 0);

/** `head`, as many pieces as the largest body has room for and may hold, and `tail`. */
export function filled(head: string, piece: (index: number) => string, tail: string, filling: Filling = {}): Buffer {
  const { separator = ',', bytes = MAX_BODY_BYTES, count = Number.POSITIVE_INFINITY } = filling;
  const pieces: string[] = [];
  let room = bytes - head.length - tail.length;
  let left = MAX_VALUES - valuesOf(head) - valuesOf(tail);
  for (let index = 0; index < count; index++) {
    const next = piece(index);
    room -= Buffer.byteLength(next) + separator.length;
    left -= filling.values ?? valuesOf(next);
    if (room < 0 || left < 0) break;
    pieces.push(next);
  }
  return Buffer.from(head + pieces.join(separator) + tail);
}

/** The text between `{` and `}` of an object's type and name. */
export const typed = (apiVersion: string, kind: string, name = 'heavy') =>
  `"apiVersion":"${apiVersion}","kind":"${kind}","metadata":{"name":"${name}"}`;

export const CONFIG_MAP = typed('v1', 'ConfigMap');

/** A body of one type for a POST in dry run, so that it can be sent again and again. */
export function post(
  name: string,
  path: string,
  body: () => Buffer,
  contentType = 'application/json',
  query = '',
): HeavyRequest {
  const headers = { 'Content-Type': contentType };
  return { name, method: 'POST', path: `${path}?dryRun=All${query}`, headers, body };
}

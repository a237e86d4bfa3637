import { badRequest } from '@orch/machinery';
import { parseVersion } from '@orch/resources';
import type { Key, Version } from '@orch/storage';

/**
 * Position at which a chunked list continues. `version` 0 stands for the newest version (an inconsistent continuation).
 */
export interface Continuation {
  /** Version of the list. */
  readonly version: Version;
  /** Key of the last object of the page before. */
  readonly after: Key;
  /** Number of objects behind that key, if counted: later pages of the same version need not count again. */
  readonly left?: number;
}

interface Wire {
  readonly v: 1;
  readonly rv: string;
  readonly ns: string;
  readonly name: string;
  readonly left?: number;
}

const malformed = () => badRequest('continue key is not valid: the token was not issued by this API');

/** Returns an opaque token for a {@link Continuation}; clients only send it back. */
export function encodeContinue(continuation: Continuation): string {
  const { namespace, name } = continuation.after;
  const { left } = continuation;
  const wire: Wire = {
    v: 1,
    rv: String(continuation.version),
    ns: namespace,
    name,
    ...(left !== undefined && { left }),
  };
  return Buffer.from(JSON.stringify(wire)).toString('base64url');
}

/** @throws StatusError 400 for a token that {@link encodeContinue} did not make. */
export function decodeContinue(token: string): Continuation {
  let wire: unknown;
  try {
    wire = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
  } catch {
    throw malformed();
  }
  if (!isWire(wire)) throw malformed();
  const version = wire.rv === '0' ? 0n : parseVersion(wire.rv);
  const after = { namespace: wire.ns, name: wire.name };
  return { version, after, ...(wire.left !== undefined && { left: wire.left }) };
}

function isWire(value: unknown): value is Wire {
  if (typeof value !== 'object' || value === null) return false;
  const { v, rv, ns, name, left } = value as Partial<Record<keyof Wire, unknown>>;
  return v === 1 && typeof rv === 'string' && isName(ns) && isName(name) && (left === undefined || isCount(left));
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

/** Maximum length of a name in a token, characters; a longer string is no name. */
const NAME_MAX = 1024;

/** Whether a value is a name that can be queried for in the database. */
const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= NAME_MAX && !value.includes('\0');

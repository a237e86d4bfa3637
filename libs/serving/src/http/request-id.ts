import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Name of the header that carries the id of a request, in both directions. */
export const REQUEST_ID_HEADER = 'audit-id';

/** Form of an id, which responses and logs repeat: visible characters, bounded in length. */
const FORM = /^[\x21-\x7e]{1,64}$/;

/**
 * Returns the id that the client gave its request (header `Audit-Id`), so that it can be traced across servers; else a
 * new UUID.
 */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers[REQUEST_ID_HEADER];
  return typeof given === 'string' && FORM.test(given) ? given : randomUUID();
}

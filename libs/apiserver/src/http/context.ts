import type { IncomingMessage, ServerResponse } from 'node:http';
import type { UserInfo } from '@orch/authentication';

/** One request on its way through the chain. */
export interface RequestContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Unique per request; answered as `Audit-Id` and written to logs. */
  readonly requestId: string;
  readonly user: UserInfo;
  /** Texts that go out as `Warning` headers with code 299. */
  readonly warnings: string[];
}

/** Whether the request has been answered, or nobody waits for the answer any more: work for it alone may stop. */
export const isOver = ({ res }: Pick<RequestContext, 'res'>): boolean => res.writableEnded || res.destroyed;

/** Splits a request target; an absent query costs nothing. */
export function splitTarget(target: string): { path: string; query: URLSearchParams } {
  const at = target.indexOf('?');
  if (at < 0) return { path: target, query: NO_QUERY };
  return { path: target.slice(0, at), query: new URLSearchParams(target.slice(at + 1)) };
}

const NO_QUERY = new URLSearchParams();

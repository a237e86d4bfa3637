import { StatusError } from '@orch/machinery';
import type { SharedBound } from '@orch/runtime/work';
import { isOver } from '../http/context.js';
import { hasBody, readAhead } from '../http/read-body.js';
import type { Limit } from '../metrics/request-metrics.js';
import type { Decide } from './authorization.js';
import type { FlowControl } from './flow-settings.js';
import type { OpenContext } from './new-context.js';
import { kindOf } from './turns.js';

/** Accounts for the bytes of one request's body, until the request is over. */
export function holdsBodies(
  { user, onEnd }: OpenContext,
  bodies: SharedBound,
  isBound: () => boolean,
  refuse: (limit: Limit) => never,
) {
  let held = 0;
  return (bytes: number): void => {
    if (!bodies.fitsBeside(user.name, bytes) && isBound()) refuse('body-bytes');
    if (held === 0) onEnd.push(() => bodies.give(user.name, held));
    held += bytes;
    bodies.take(user.name, bytes);
  };
}

/** Whether this process reads the body of a request. Requests that only read have no body. */
export const isReadHere = (ctx: OpenContext, flow: Pick<FlowControl, 'bodyUse'>): boolean =>
  kindOf(ctx) === 'mutating' && hasBody(ctx) && flow.bodyUse(ctx.info) === 'read';

const TOO_MANY = 429;

/**
 * Resolves when the body has arrived, or need not be read: a request that is not allowed continues without it, and is
 * refused in its turn. Errors of the body are reported where it is read.
 */
export async function wholeBody(
  ctx: OpenContext,
  { slowClients, bodyLimits }: Pick<FlowControl, 'slowClients' | 'bodyLimits'>,
  decide: Decide,
  isBound: () => boolean,
  refuse: (limit: Limit) => never,
): Promise<void> {
  const { bodies } = slowClients;
  const { name } = ctx.user;
  if (!bodies.fitsApart(name, 1) && isBound()) refuse('slow-bodies');
  bodies.take(name, 1);
  try {
    const { decision } = await decide(ctx);
    if (decision === 'allow' && !isOver(ctx)) await readAhead(ctx, bodyLimits).catch(throwRefusal);
  } finally {
    bodies.give(name, 1);
  }
}

function throwRefusal(error: unknown): void {
  if (error instanceof StatusError && error.code === TOO_MANY) throw error;
}

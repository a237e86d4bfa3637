import type { Turn, Turns } from '../fairness/turns.js';
import { kindOf } from '../fairness/turns.js';
import { tooMany } from '../http/errors.js';
import type { RequestMetrics } from '../metrics/request-metrics.js';
import type { Stage } from './chain.js';
import type { OpenContext } from './new-context.js';
import { isLongRunning } from './request-info.js';
import type { SharedBound } from './shared-bound.js';

/** What requests share. */
export interface FlowControl {
  readonly turns: Turns;
  /** Bytes of request bodies that are here, whole or in part. */
  readonly bodies: SharedBound;
}

/**
 * Has requests wait until it is their turn, which lasts until their answer has left: so many answers wait in memory at most.
 * That of a watch lasts until its stream has begun; other streams that last have none.
 * @throws StatusError 429 when it does not come in time
 */
export function flowControl({ turns, bodies }: FlowControl, metrics: RequestMetrics): Stage {
  const begin = (ctx: OpenContext, turn: Turn | undefined): void => {
    if (!turn) {
      metrics.refused('requests');
      throw tooMany();
    }
    ctx.onEnd.push(() => turn.leave());
    if (ctx.info.verb === 'watch') return;
    const inflight = metrics.enter(kindOf(ctx), performance.now());
    ctx.onEnd.push(() => inflight.leave());
    ctx.holdBody = holdsBodies(ctx, bodies, turn.isExempt, metrics);
  };
  return (ctx) => {
    if (isLongRunning(ctx.info) && ctx.info.verb !== 'watch') return undefined;
    const taken = turns.take(ctx);
    if (!(taken instanceof Promise)) return begin(ctx, taken);
    const inQueue = metrics.enterQueue(kindOf(ctx), performance.now());
    return taken.finally(() => inQueue.leave()).then((turn) => begin(ctx, turn));
  };
}

/** Accounts for the bytes of one request's body, until the request is over. */
function holdsBodies({ user, onEnd }: OpenContext, bodies: SharedBound, exempt: boolean, metrics: RequestMetrics) {
  let held = 0;
  return (bytes: number): void => {
    if (!exempt && !bodies.fits(user.name, bytes)) {
      metrics.refused('body-bytes');
      throw tooMany();
    }
    if (held === 0) onEnd.push(() => bodies.give(user.name, held));
    held += bytes;
    bodies.take(user.name, bytes);
  };
}

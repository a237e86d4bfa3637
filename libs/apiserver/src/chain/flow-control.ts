import type { ServerResponse } from 'node:http';
import { StatusError } from '@orch/machinery';
import type { BodyUse } from '../fairness/body-use.js';
import type { SlowClients } from '../fairness/slow-clients.js';
import type { Turn, Turns } from '../fairness/turns.js';
import { kindOf } from '../fairness/turns.js';
import { cutOff, http2StreamOf, isGone, isOver } from '../http/context.js';
import { tooMany } from '../http/errors.js';
import { type BodyLimits, hasBody, isBodyHere, readAhead } from '../http/read-body.js';
import type { Limit, RequestMetrics } from '../metrics/request-metrics.js';
import type { Stage } from './chain.js';
import type { OpenContext } from './new-context.js';
import { isLongRunning, type RequestInfo } from './request-info.js';
import type { SharedBound } from './shared-bound.js';

/** What requests share. */
export interface FlowControl {
  readonly turns: Turns;
  /** Bytes of request bodies that are here, whole or in part. */
  readonly bodies: SharedBound;
  /** What waits for clients, and holds no seat meanwhile. */
  readonly slowClients: SlowClients;
  /** How long bodies may be, and may take to come. */
  readonly bodyLimits: BodyLimits;
  /** What becomes of the body of a request, if it has one. */
  bodyUse(info: RequestInfo): BodyUse;
}

/**
 * Has requests wait until it is their turn, which begins when their body is here and lasts until they have nothing to wait for but
 * their client. That of a watch lasts until its stream has begun; other streams that last have none.
 * @throws StatusError 429 when it does not come in time, or too much waits for the caller
 */
export function flowControl(flow: FlowControl, metrics: RequestMetrics): Stage {
  const { turns, slowClients } = flow;
  const refuse = (limit: Limit): never => {
    metrics.refused(limit);
    throw tooMany();
  };
  return (ctx) => {
    if (isLongRunning(ctx.info) && ctx.info.verb !== 'watch') return undefined;
    const isBound = () => !turns.isExempt(ctx);
    const checkRoom = () => {
      if (!slowClients.hasRoom(ctx.user.name) && isBound()) refuse('unread-answers');
    };
    checkRoom();
    ctx.holdBody = holdsBodies(ctx, flow.bodies, isBound, refuse);
    const body = isReadHere(ctx, flow) ? wholeBody(ctx, flow, isBound, refuse) : undefined;
    const turn = () => takeTurn(ctx, flow, metrics, checkRoom);
    return body ? body.then(turn) : turn();
  };
}

/** Accounts for the bytes of one request's body, until the request is over. */
function holdsBodies(
  { user, onEnd }: OpenContext,
  bodies: SharedBound,
  isBound: () => boolean,
  refuse: (limit: Limit) => never,
) {
  let held = 0;
  return (bytes: number): void => {
    if (!bodies.fits(user.name, bytes) && isBound()) refuse('body-bytes');
    if (held === 0) onEnd.push(() => bodies.give(user.name, held));
    held += bytes;
    bodies.take(user.name, bytes);
  };
}

/** What only reads takes no body. */
const isReadHere = (ctx: OpenContext, flow: FlowControl): boolean =>
  kindOf(ctx) === 'mutating' && hasBody(ctx) && flow.bodyUse(ctx.info) === 'read';

const TOO_MANY = 429;

/** Resolves when the body is here. What is wrong with it is heard of where it is read, behind who may make the request at all. */
async function wholeBody(
  ctx: OpenContext,
  { slowClients, bodyLimits }: FlowControl,
  isBound: () => boolean,
  refuse: (limit: Limit) => never,
): Promise<void> {
  const { bodies } = slowClients;
  const { name } = ctx.user;
  const isSlow = !isBodyHere(ctx);
  if (isSlow) {
    if (!bodies.fitsApart(name, 1) && isBound()) refuse('slow-bodies');
    bodies.take(name, 1);
  }
  try {
    await readAhead(ctx, bodyLimits);
  } catch (error) {
    if (error instanceof StatusError && error.code === TOO_MANY) throw error;
  } finally {
    if (isSlow) bodies.give(name, 1);
  }
}

/** @param checkRoom throws where the caller's other requests have come to wait for it meanwhile */
function takeTurn(
  ctx: OpenContext,
  flow: FlowControl,
  metrics: RequestMetrics,
  checkRoom: () => void,
): void | Promise<void> {
  const { turns, slowClients } = flow;
  // Its client has gone, or it was given up, while its body came.
  if (isOver(ctx)) return;
  const begin = (turn: Turn | undefined): void => {
    if (!turn) {
      metrics.refused('requests');
      throw tooMany();
    }
    const leave = leavingOnce(ctx, turn, metrics);
    ctx.onEnd.push(leave);
    checkRoom();
    if (ctx.info.verb === 'watch' || turn.isExempt) return;
    ctx.onEnd.push(
      slowClients.follow({
        user: ctx.user.name,
        waiting: () => waitingBytes(ctx, flow),
        giveBack: leave,
        cut() {
          metrics.refused('unread-answers');
          cutOff(ctx);
        },
      }),
    );
  };
  const taken = turns.take(ctx);
  if (!(taken instanceof Promise)) return begin(taken);
  const inQueue = metrics.enterQueue(kindOf(ctx), performance.now());
  return taken.finally(() => inQueue.leave()).then(begin);
}

/** Ends a turn, and the count of the request among those that are carried out; the second time nothing happens. */
function leavingOnce(ctx: OpenContext, turn: Turn, metrics: RequestMetrics): () => void {
  const inflight = ctx.info.verb === 'watch' ? undefined : metrics.enter(kindOf(ctx), performance.now());
  let isIn = true;
  return () => {
    if (!isIn) return;
    isIn = false;
    turn.leave();
    inflight?.leave();
  };
}

/** Bytes that wait where a request waits for nothing but its client: to read the answer, or to send a body that is passed on. */
function waitingBytes(ctx: OpenContext, flow: FlowControl): number | undefined {
  if (isGone(ctx)) return undefined;
  const out: Pick<ServerResponse, 'writableEnded' | 'writableNeedDrain' | 'writableLength'> =
    http2StreamOf(ctx) ?? ctx.res;
  // An answer that says that the request was given up may leave before the work on it has ended.
  if (out.writableEnded ? !ctx.isGivenUp : out.writableNeedDrain) return out.writableLength;
  return hasBody(ctx) && !isBodyHere(ctx) && flow.bodyUse(ctx.info) === 'passed-on' ? 0 : undefined;
}

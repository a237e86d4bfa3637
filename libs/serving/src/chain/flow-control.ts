import { tooMany } from '@orch/resources';
import { isOver } from '../http/context.js';
import type { Limit, RequestMetrics } from '../metrics/request-metrics.js';
import type { Decide } from './authorization.js';
import { holdsBodies, isReadHere, wholeBody } from './body-ahead.js';
import type { ChainStage } from './chain.js';
import type { FlowControl } from './flow-settings.js';
import type { OpenContext } from './new-context.js';
import { isLongRunning } from './request-info.js';
import { Seat } from './seat.js';
import type { RequestSeat } from './turns.js';
import { kindOf } from './turns.js';

/**
 * Makes requests wait for a seat, which they hold from when their body has arrived until they only wait for their
 * client. A body is waited for only if its sender may make the request: `decide` is called before. The seat of a watch
 * is held until its stream has begun; other long-running streams have none.
 * @throws StatusError 429 when no seat is free in time, or too much waits for the caller; errors of `decide`
 */
export function flowControl(flow: FlowControl, metrics: RequestMetrics, decide: Decide): ChainStage {
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
    const body = isReadHere(ctx, flow) ? wholeBody(ctx, flow, decide, isBound, refuse) : undefined;
    const turn = () => takeTurn(ctx, flow, metrics, checkRoom);
    return body ? body.then(turn) : turn();
  };
}

/** @param checkRoom throws if the caller's other requests have come to wait for it meanwhile */
function takeTurn(
  ctx: OpenContext,
  flow: FlowControl,
  metrics: RequestMetrics,
  checkRoom: () => void,
): void | Promise<void> {
  // Its client disconnected, or it timed out, while its body was arriving.
  if (isOver(ctx)) return;
  const begin = (turn: RequestSeat | undefined): void => {
    if (!turn) {
      metrics.refused('requests');
      throw tooMany();
    }
    const seat = new Seat(ctx, flow, metrics, turn);
    ctx.onEnd.push(() => seat.leave());
    checkRoom();
    if (ctx.info.verb === 'watch' || turn.isExempt) return;
    ctx.seat = seat;
    ctx.onEnd.push(flow.slowClients.follow(seat));
  };
  const taken = flow.turns.take(ctx);
  if (!(taken instanceof Promise)) return begin(taken);
  const inQueue = metrics.enterQueue(kindOf(ctx), performance.now());
  return taken.finally(() => inQueue.leave()).then(begin);
}

import { MASTERS } from '@orch/authorization';
import type { Clock } from '@orch/runtime';
import { tooMany } from '../http/errors.js';
import type { RequestMetrics } from '../metrics/request-metrics.js';
import type { Stage } from './chain.js';
import type { OpenContext } from './new-context.js';
import { isLongRunning, type RequestInfo } from './request-info.js';
import { Seats } from './seats.js';
import { type Bounds, SharedBound } from './shared-bound.js';

/** Requests that change something, and all others, have seats of their own: neither can shut out the other. */
export type RequestKind = 'mutating' | 'readOnly';

/** What requests share. */
export interface FlowControl {
  readonly seats: Readonly<Record<RequestKind, Seats>>;
  /** Bytes of request bodies that are here, whole or in part. */
  readonly bodies: SharedBound;
}

export interface FlowLimits {
  readonly inflight: Readonly<Record<RequestKind, Bounds>>;
  /** Requests of either kind that wait, and how long they do at most, milliseconds. */
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
  readonly bodies: Bounds;
}

export function makeFlowControl({ inflight, maxWaiting, maxWaitMs, bodies }: FlowLimits, clock: Clock): FlowControl {
  const seatsOf = (bounds: Bounds) => new Seats({ bounds, maxWaiting, maxWaitMs, clock });
  return {
    seats: { mutating: seatsOf(inflight.mutating), readOnly: seatsOf(inflight.readOnly) },
    bodies: new SharedBound(bodies),
  };
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options']);
const PROBES = /^\/(?:livez|readyz|healthz)(?:\/|$)/;

const kindOf = ({ verb }: RequestInfo): RequestKind => (READS.has(verb) ? 'readOnly' : 'mutating');

/** Whoever must always get an answer: administrators in an emergency, and those who ask whether the server is well. */
const isExempt = ({ user, info }: OpenContext): boolean =>
  user.groups.includes(MASTERS) || (!info.isResourceRequest && PROBES.test(info.path));

/**
 * Has requests wait until there is a seat for them, which they hold until their answer has left: so many answers wait in
 * memory at most. Streams that last have limits of their own.
 * @throws StatusError 429 when there is none in time
 */
export function flowControl({ seats, bodies }: FlowControl, metrics: RequestMetrics): Stage {
  return (ctx) => {
    if (isLongRunning(ctx.info)) return undefined;
    const kind = kindOf(ctx.info);
    const exempt = isExempt(ctx);
    const enter = (): void => {
      const inflight = metrics.enter(kind, performance.now());
      ctx.onEnd.push(() => inflight.leave());
      ctx.holdBody = holdsBodies(ctx, bodies, exempt, metrics);
    };
    return exempt ? enter() : takeSeat(ctx, seats[kind], kind, metrics).then(enter);
  };
}

async function takeSeat(ctx: OpenContext, seats: Seats, kind: RequestKind, metrics: RequestMetrics): Promise<void> {
  const { user, res } = ctx;
  if (!seats.take(user.name)) {
    const inQueue = metrics.enterQueue(kind, performance.now());
    const seated = await seats.wait(user.name, (leave) => res.once('close', leave));
    inQueue.leave();
    if (!seated) {
      metrics.refused('requests');
      throw tooMany();
    }
  }
  ctx.onEnd.push(() => seats.leave(user.name));
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

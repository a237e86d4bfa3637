import { MASTERS } from '@orch/authorization';
import { SharedBound } from '@orch/runtime/work';
import { kindOf, type OpenContext, type RequestKind, type RequestSeat, type Turns } from '@orch/serving';

const PROBES = /^\/(?:livez|readyz|healthz)(?:\/|$)/;
const EXEMPT: RequestSeat = { isExempt: true, leave: () => undefined };

/** Whether a request is never limited: administrators in an emergency, and health probes. */
const isExempt = ({ user, info }: OpenContext): boolean =>
  user.groups.includes(MASTERS) || (!info.isResourceRequest && PROBES.test(info.path));

/**
 * Bounds the requests of each kind that run at a time, without queues: for processes without the feature gate
 * `APIPriorityAndFairness`. Watches are not counted.
 */
export function boundedTurns(seats: Readonly<Record<RequestKind, number>>): Turns {
  const boundOf = (kind: RequestKind) => new SharedBound({ inAll: seats[kind], perUser: 0 });
  const bounds = { mutating: boundOf('mutating'), readOnly: boundOf('readOnly') };
  const take: Turns['take'] = (ctx) => {
    if (isExempt(ctx) || ctx.info.verb === 'watch') return EXEMPT;
    const bound = bounds[kindOf(ctx)];
    const { name } = ctx.user;
    if (!bound.fits(name, 1)) return undefined;
    bound.take(name, 1);
    return { isExempt: false, leave: () => bound.give(name, 1) };
  };
  return { isExempt, take, takeAgain: take };
}

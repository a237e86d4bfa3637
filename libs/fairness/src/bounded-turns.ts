import { MASTERS } from '@orch/authorization';
import { SharedBound } from '@orch/runtime/work';
import { kindOf, type OpenContext, type RequestKind, type Turn, type Turns } from '@orch/serving';

const PROBES = /^\/(?:livez|readyz|healthz)(?:\/|$)/;
const EXEMPT: Turn = { isExempt: true, leave: () => undefined };

/** Whoever must always get an answer: administrators in an emergency, and those who ask whether the server is well. */
const isExempt = ({ user, info }: OpenContext): boolean =>
  user.groups.includes(MASTERS) || (!info.isResourceRequest && PROBES.test(info.path));

/** So many of each kind at a time, and nobody waits: without the feature gate `APIPriorityAndFairness`. Watches count for nothing. */
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

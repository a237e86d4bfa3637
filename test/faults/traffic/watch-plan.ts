import type { Kind } from '../model/object-state.js';
import type { Selection, TierRequirement } from '../model/selection.js';
import type { Random } from '../random.js';
import { kindOf, NAMES, NAMESPACES, REASONS, TIERS } from './context.js';

/** How a watcher begins: with a list (of the newest state, or of any), with the state as events, or with that and a mark. */
export type Beginning = 'list' | 'list-any' | 'unset' | 'any' | 'stream';

/** Properties and behaviour of a watcher. */
export interface WatchPlan {
  readonly id: string;
  readonly kind: Kind;
  readonly selection: Selection;
  readonly beginning: Beginning;
  readonly bookmarks: boolean;
  /** Asks an api-server, which hands the watch on, instead of the load balancer. */
  readonly direct: boolean;
  /** Stops reading for a while now and then. */
  readonly stalls: boolean;
  /** Stays away for a while between two requests now and then. */
  readonly sleeps: boolean;
  /** Begins anew after each request, which is short: else nearly all would begin before anything is written. */
  readonly forgets: boolean;
}

/** A mixed population; the first ones want everything, so that there is an audience worth the name. */
export function planWatchers(count: number, random: Random): WatchPlan[] {
  return Array.from({ length: count }, (_, i): WatchPlan => {
    const kind = kindOf(i);
    return {
      id: `watcher-${i}`,
      kind,
      selection: selectionFor(i / count, kind, random),
      beginning: random.weighted({ list: 45, 'list-any': 10, unset: 15, any: 10, stream: 20 }),
      bookmarks: random.chance(0.75),
      direct: random.chance(0.15),
      stalls: random.chance(0.1),
      sleeps: random.chance(0.15),
      forgets: i % 4 === 3,
    };
  });
}

function selectionFor(share: number, kind: Kind, random: Random): Selection {
  if (share < 0.2) return {};
  if (share < 0.4) return { namespace: random.pick(NAMESPACES) };
  if (share < 0.6) return { namespace: random.pick(NAMESPACES), name: random.pick(NAMES) };
  if (share < 0.7) return { name: random.pick(NAMES) };
  const scope = random.chance(0.4) ? { namespace: random.pick(NAMESPACES) } : {};
  if (kind === 'events' && share < 0.85) {
    return { ...scope, reason: { equals: random.chance(0.7), value: random.pick(REASONS) } };
  }
  return { ...scope, tier: tierRequirement(random) };
}

function tierRequirement(random: Random): TierRequirement {
  const tiers = TIERS.filter((tier) => tier !== '');
  switch (random.weighted({ one: 4, several: 2, not: 2, absent: 2 })) {
    case 'one':
      return { op: 'in', values: [random.pick(tiers)] };
    case 'several':
      return { op: 'in', values: random.shuffled(tiers).slice(0, 2) };
    case 'not':
      return { op: 'not-in', values: [random.pick(tiers)] };
    case 'absent':
      return { op: 'absent' };
  }
}

import type { OpenWatches } from '../watching/open-watches.js';
import type { Stage } from './chain.js';

/** Lets a watch hear of rights that go while it is found out who asks, and whether they may. */
export function comingWatch(watches: OpenWatches): Stage {
  return (ctx) => {
    if (ctx.info.verb !== 'watch') return;
    const coming = watches.expect();
    ctx.comingWatch = coming;
    ctx.onEnd.push(() => watches.forget(coming));
  };
}

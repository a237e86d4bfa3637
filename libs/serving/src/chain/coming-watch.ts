import type { OpenWatches } from '../watching/open-watches.js';
import type { ChainStage } from './chain.js';

/**
 * Registers a watch before its caller is authenticated and authorized, so that a loss of rights meanwhile is noticed.
 */
export function comingWatch(watches: OpenWatches): ChainStage {
  return (ctx) => {
    if (ctx.info.verb !== 'watch') return;
    const coming = watches.expect();
    ctx.comingWatch = coming;
    ctx.onEnd.push(() => watches.forget(coming));
  };
}

import type { OpenWatches } from '../watching/open-watches.js';
import type { Stage } from './chain.js';
import { isLongRunning } from './request-info.js';

/**
 * Registers a watch or another stream before its caller is authenticated and authorized, so that a loss of rights meanwhile is noticed.
 */
export function comingWatch(watches: OpenWatches): Stage {
  return (ctx) => {
    if (!isLongRunning(ctx.info)) return;
    const coming = watches.expect();
    ctx.comingWatch = coming;
    ctx.onEnd.push(() => watches.forget(coming));
  };
}

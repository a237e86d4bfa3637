import type { OpenWatches } from '../watching/open-watches.js';
import type { ChainStage } from './chain.js';
import { isLongRunning } from './request-info.js';

/**
 * Registers a watch or another stream before its caller is authenticated and authorized, so that a loss of rights meanwhile is noticed.
 */
export function pendingWatch(watches: OpenWatches): ChainStage {
  return (ctx) => {
    if (!isLongRunning(ctx.info)) return;
    const coming = watches.expect();
    ctx.pendingWatch = coming;
    ctx.onEnd.push(() => watches.forget(coming));
  };
}

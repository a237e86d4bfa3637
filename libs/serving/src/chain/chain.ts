import { isOver } from '../http/context.js';
import type { OpenContext } from './new-context.js';

/**
 * One step on a request's way in: it knows the context and nothing of the other steps. What it learns it writes there; a
 * refusal is thrown. Only one that waits for something returns a promise.
 */
export type Stage = (ctx: OpenContext) => void | Promise<void>;

/** Takes a request through stages in their order, unless it is answered or its client gone meanwhile. */
export async function pass(ctx: OpenContext, stages: readonly Stage[]): Promise<void> {
  try {
    for (const stage of stages) {
      const wait = stage(ctx);
      if (wait) await wait;
      if (isOver(ctx)) return;
    }
  } finally {
    for (const end of ctx.onEnd) end();
  }
}

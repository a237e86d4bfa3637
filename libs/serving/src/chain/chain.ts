import { isOver } from '../http/context.js';
import type { OpenContext } from './new-context.js';

/**
 * A stage of the request chain. It knows the context and no other stage, writes its results to the context, and throws
 * to refuse the request. It returns a promise only when it has to wait.
 */
export type ChainStage = (ctx: OpenContext) => void | Promise<void>;

/** Runs the stages of a request in their order, until it is answered or its client is gone. */
export async function pass(ctx: OpenContext, stages: readonly ChainStage[]): Promise<void> {
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

import type { Socket } from 'node:net';
import { cutOff, type RequestContext } from '@orch/serving';

/** Cuts a session off once nothing has come from its agent, or gone there, for so many milliseconds; 0 is no bound. */
export function boundIdleness(ctx: RequestContext, agent: Socket, idleMs: number): void {
  agent.setTimeout(idleMs, () => cutOff(ctx));
}

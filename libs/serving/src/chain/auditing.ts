import type { Auditor } from '../auditing/auditor.js';
import type { ChainStage } from './chain.js';

/**
 * Records the received request; its response is recorded once it is sent.
 * @throws StatusError 500 if the request must be recorded and cannot be
 */
export function auditing(auditor: Auditor): ChainStage {
  return (ctx) => auditor.received(ctx);
}

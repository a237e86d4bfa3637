import type { Auditor } from '../auditing/auditor.js';
import type { Stage } from './chain.js';

/**
 * Records the received request; its response is recorded once it is sent.
 * @throws StatusError 500 if the request must be recorded and cannot be
 */
export function auditing(auditor: Auditor): Stage {
  return (ctx) => auditor.received(ctx);
}

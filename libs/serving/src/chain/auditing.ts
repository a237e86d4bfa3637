import type { Auditor } from '../auditing/auditor.js';
import type { Stage } from './chain.js';

/** Notes what was received; what was answered is noted once it is. @throws StatusError 500 where that must be and cannot */
export function auditing(auditor: Auditor): Stage {
  return (ctx) => auditor.received(ctx);
}

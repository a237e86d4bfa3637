import type { EventRecord } from '../events/event.js';
import type { AuditBackend } from './backend.js';

/** Several backends as one; an event counts as recorded only if all have recorded it. */
export function unionOf(backends: readonly AuditBackend[]): AuditBackend {
  const [only] = backends;
  if (only && backends.length === 1) return only;
  return {
    submit(event: EventRecord) {
      const waits = backends.map((backend) => backend.submit(event)).filter((wait) => wait !== undefined);
      return waits.length === 0 ? undefined : Promise.all(waits).then((written) => written.every(Boolean));
    },
    async close(deadline?: AbortSignal) {
      await Promise.all(backends.map((backend) => backend.close(deadline)));
    },
  };
}

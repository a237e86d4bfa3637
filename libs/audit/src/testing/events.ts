import { EventRecord } from '../events/event.js';
import type { AuditLevel } from '../policy/policy.js';

/** An event that says no more than its id, with a body of the request of so many characters. */
export function eventOf(auditID: string, bodyLength = 0, level: AuditLevel = 'Metadata'): EventRecord {
  const at = '2026-01-02T03:04:05.678900Z';
  return new EventRecord(
    {
      kind: 'Event',
      apiVersion: 'audit.orch.io/v1',
      level,
      auditID,
      stage: 'ResponseComplete',
      requestURI: '/api/v1/pods',
      verb: 'list',
      user: { username: 'jane', groups: ['dev', 'ops'] },
      requestReceivedTimestamp: at,
      stageTimestamp: at,
    },
    bodyLength > 0 ? { request: JSON.stringify('x'.repeat(bodyLength)) } : {},
  );
}

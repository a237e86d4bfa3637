import type { Metrics } from '@orch/runtime';
import type { LostEvents } from './backends/backend.js';
import type { AuditObserver } from './events/action-recorder.js';

/** Counts requests, events and lost events of the audit log. */
interface AuditMetrics extends AuditObserver {
  readonly lost: LostEvents;
}

/** Parts that can lose an event: backends, and the buffers and limits before them. */
const LOSING = ['log', 'webhook', 'postgres', 'buffered', 'truncate'];

/** Counts what becomes of requests and their events; names are those of existing API servers. */
export function auditMetrics(metrics: Metrics): AuditMetrics {
  const none = [] as const;
  const events = metrics
    .counter({
      name: 'apiserver_audit_event_total',
      help: 'Number of audit events that were generated and sent to the backends.',
      labels: none,
    })
    .with();
  const errors = metrics.counter({
    name: 'apiserver_audit_error_total',
    help: 'Number of audit events that were not recorded, by the plugin that lost them.',
    labels: ['plugin'] as const,
  });
  // An alert on what is added would miss the first of a series that is not there yet.
  for (const plugin of LOSING) errors.with(plugin);
  const levels = metrics.counter({
    name: 'apiserver_audit_level_total',
    help: 'Number of requests by the audit level that the policy gives them.',
    labels: ['level'] as const,
  });
  const rejected = metrics
    .counter({
      name: 'apiserver_audit_requests_rejected_total',
      help: 'Number of requests that were refused because they could not be recorded.',
      labels: none,
    })
    .with();
  return {
    judged: (level) => levels.with(level).inc(),
    recorded: () => events.inc(),
    rejected: () => rejected.inc(),
    lost: (plugin, count) => errors.with(plugin).inc(count),
  };
}

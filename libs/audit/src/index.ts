export { type AuditLog, checkVersions, eventVersion, openAuditLog } from './audit-log.js';
export { auditMetrics } from './audit-metrics.js';
export { AuditNotes } from './audit-notes.js';
export { auditOptions } from './audit-options.js';
export type { AuditBackend } from './backends/backend.js';
export { BatchingBackend } from './backends/batching.js';
export { BlockingBackend } from './backends/blocking.js';
export {
  type Action,
  type ActionAudit,
  ActionRecorder,
  type AuditRecording,
  type RecordedAction,
} from './events/action-recorder.js';
export { answerText, objectText, patchText } from './events/body-text.js';
export {
  type AuditEvent,
  type EventBodies,
  type EventObject,
  EventRecord,
  type EventStatus,
  type EventUser,
} from './events/event.js';
export { objectRefOf, type SentNames } from './events/object-ref.js';
export { redactedTarget } from './events/redacted-target.js';
export { timeText } from './events/time-text.js';
export { LogSink } from './log/log-sink.js';
export { RotatingFile } from './log/rotating-file.js';
export { type AuditConfig, PolicyEvaluator } from './policy/evaluator.js';
export { type AuditStage, loadPolicy, type Policy } from './policy/policy.js';
export { EVENT_MIGRATIONS, EVENT_RIGHTS, EVENT_SCHEMA } from './postgres/migrations.js';

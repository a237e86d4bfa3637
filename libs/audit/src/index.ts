export { AuditNotes } from './audit-notes.js';
export { type AuditBackend, type AuditSink, type LostEvents, MODES, type Mode } from './backends/backend.js';
export { BatchingBackend, type BatchSettings } from './backends/batching.js';
export { BlockingBackend } from './backends/blocking.js';
export { type TruncateSettings, TruncatingSink } from './backends/truncating.js';
export { unionOf } from './backends/union.js';
export { type Action, type ActionAudit, ActionRecorder, type RecordedAction } from './events/action-recorder.js';
export { answerText, objectText, patchText } from './events/body-text.js';
export {
  type AuditEvent,
  type EventBodies,
  type EventObject,
  EventRecord,
  type EventStatus,
  type EventUser,
} from './events/event.js';
export { timeText } from './events/time-text.js';
export { LOG_FORMATS, type LogFormat, LogSink, standardOutput } from './log/log-sink.js';
export { RotatingFile, type RotationSettings } from './log/rotating-file.js';
export { type AuditConfig, PolicyEvaluator } from './policy/evaluator.js';
export { type Level, type LoadedPolicy, loadPolicy, type Policy, PolicyError, type Stage } from './policy/policy.js';
export { EVENT_MIGRATIONS, EVENT_RIGHTS, EVENT_SCHEMA } from './postgres/migrations.js';
export { type EventDatabase, PostgresSink } from './postgres/postgres-sink.js';
export { type WebhookSettings, WebhookSink } from './webhook/webhook-sink.js';

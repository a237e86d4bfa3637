import { MODES } from './backends/backend.js';
import { LOG_FORMATS } from './log/log-sink.js';

const MEBIBYTE = 1 << 20;

/** @throws RangeError */
function checkRate(text: string): void {
  if (!/^\d+(?:\.\d+)?$/.test(text)) throw new RangeError('is not a number of batches a second');
}

/** Options of the audit log: what is recorded of requests, and where. Names and defaults are those of existing API servers where there are such. */
export const auditOptions = {
  'audit-policy-file': {
    type: 'string',
    help: 'File of a Policy that says what is recorded of which requests. Default: nothing is.',
  },
  'audit-max-body-bytes': {
    type: 'bytes',
    default: 4 * MEBIBYTE,
    min: 0,
    help: 'Largest body of a request or an answer that an event holds; a larger one is left out, and an annotation of the event says so.',
  },
  'audit-buffer-bytes': {
    type: 'bytes',
    default: 64 * MEBIBYTE,
    min: MEBIBYTE,
    help: 'Memory that events may take while they wait for one backend, about; more are lost, and counted. Where requests wait for it, those that come then are refused.',
  },
  'audit-log-path': { type: 'string', help: 'File that events are written to; - is standard output.' },
  'audit-log-format': {
    type: 'string',
    choices: LOG_FORMATS,
    default: 'json',
    help: 'Form of the lines: json for whole events, legacy for one line of text each.',
  },
  'audit-log-version': {
    type: 'string',
    help: 'Group and version of events in the log. Default: the only one there is.',
  },
  'audit-log-maxage': {
    type: 'int',
    default: 0,
    min: 0,
    unit: 'days',
    help: 'How long old log files are kept; 0 for ever.',
  },
  'audit-log-maxbackup': { type: 'int', default: 0, min: 0, help: 'Old log files that are kept; 0 for all.' },
  'audit-log-maxsize': {
    type: 'int',
    default: 100,
    min: 0,
    unit: 'megabytes',
    help: 'Size at which a log file is given up for a new one; 0 is 100.',
  },
  'audit-log-compress': { type: 'bool', help: 'Old log files are compressed with gzip.' },
  'audit-log-mode': {
    type: 'string',
    choices: MODES,
    default: 'blocking',
    help: 'How requests go with the log: batch does not wait for it, blocking does, and with blocking-strict a request is refused that cannot be recorded when it comes.',
  },
  'audit-log-batch-buffer-size': {
    type: 'int',
    default: 10_000,
    min: 1,
    help: 'Events that wait for the log in batch mode; more are lost, and counted.',
  },
  'audit-log-batch-max-size': {
    type: 'int',
    default: 1,
    min: 1,
    help: 'Events of one batch for the log in batch mode.',
  },
  'audit-log-batch-max-wait': {
    type: 'duration',
    default: 0,
    min: 0,
    help: 'How long a batch for the log waits for more events in batch mode.',
  },
  'audit-log-batch-throttle-enable': { type: 'bool', help: 'Batches for the log are slowed in batch mode.' },
  'audit-log-batch-throttle-qps': {
    type: 'string',
    default: '0',
    check: checkRate,
    help: 'Batches for the log in a second then, on average.',
  },
  'audit-log-batch-throttle-burst': {
    type: 'int',
    default: 0,
    min: 0,
    help: 'Batches for the log at once then, after a time with fewer.',
  },
  'audit-log-truncate-enabled': {
    type: 'bool',
    help: 'Events that are too large lose their bodies in the log, and are left out if they are too large even so.',
  },
  'audit-log-truncate-max-event-size': { type: 'bytes', default: 100 << 10, min: 1, help: 'Size of an event then.' },
  'audit-log-truncate-max-batch-size': { type: 'bytes', default: 10 * MEBIBYTE, min: 1, help: 'Size of a batch then.' },
  'audit-webhook-config-file': {
    type: 'string',
    help: 'File in the form of a kubeconfig that says which server events are sent to, and what it is shown.',
  },
  'audit-webhook-version': {
    type: 'string',
    help: 'Group and version of events that are sent. Default: the only one there is.',
  },
  'audit-webhook-initial-backoff': {
    type: 'duration',
    default: 10_000,
    min: 1,
    help: 'Before events are sent for the second time that were not taken; later tries, five in all, wait half as long again each.',
  },
  'audit-webhook-mode': {
    type: 'string',
    choices: MODES,
    default: 'batch',
    help: 'How requests go with the webhook; as --audit-log-mode.',
  },
  'audit-webhook-batch-buffer-size': {
    type: 'int',
    default: 10_000,
    min: 1,
    help: 'Events that wait for the webhook in batch mode; more are lost, and counted.',
  },
  'audit-webhook-batch-max-size': {
    type: 'int',
    default: 400,
    min: 1,
    help: 'Events of one batch for the webhook in batch mode.',
  },
  'audit-webhook-batch-max-wait': {
    type: 'duration',
    default: 30_000,
    min: 0,
    help: 'How long a batch for the webhook waits for more events in batch mode.',
  },
  'audit-webhook-batch-throttle-enable': {
    type: 'bool',
    default: true,
    help: 'Batches for the webhook are slowed in batch mode.',
  },
  'audit-webhook-batch-throttle-qps': {
    type: 'string',
    default: '10',
    check: checkRate,
    help: 'Batches for the webhook in a second then, on average.',
  },
  'audit-webhook-batch-throttle-burst': {
    type: 'int',
    default: 15,
    min: 0,
    help: 'Batches for the webhook at once then, after a time with fewer.',
  },
  'audit-webhook-truncate-enabled': {
    type: 'bool',
    help: 'Events that are too large lose their bodies for the webhook, and are left out if they are too large even so.',
  },
  'audit-webhook-truncate-max-event-size': {
    type: 'bytes',
    default: 100 << 10,
    min: 1,
    help: 'Size of an event then.',
  },
  'audit-webhook-truncate-max-batch-size': {
    type: 'bytes',
    default: 10 * MEBIBYTE,
    min: 1,
    help: 'Size of a batch then.',
  },
  'audit-postgres': {
    type: 'bool',
    help: 'Events are written into the database of the state too, into a schema audit of their own, a partition for each day.',
  },
  'audit-postgres-retention': {
    type: 'duration',
    default: 30 * 24 * 3_600_000,
    min: 3_600_000,
    help: 'How long events are kept there; whole days (UTC) that are older are dropped.',
  },
} as const;

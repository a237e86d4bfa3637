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
    help: 'File of a Policy, which defines what is recorded of which requests. Default: nothing is recorded.',
  },
  'audit-max-body-bytes': {
    type: 'bytes',
    default: 4 * MEBIBYTE,
    min: 0,
    help: 'Maximum size of a request or response body in an event. A larger body is left out, and an annotation of the event says so.',
  },
  'audit-buffer-bytes': {
    type: 'bytes',
    default: 64 * MEBIBYTE,
    min: MEBIBYTE,
    help: 'Approximate memory for events that wait for one backend. Beyond it, further events are dropped and counted; in blocking modes, requests are refused.',
  },
  'audit-log-path': { type: 'string', help: 'File that events are written to. - is standard output.' },
  'audit-log-format': {
    type: 'string',
    choices: LOG_FORMATS,
    default: 'json',
    help: 'Format of the lines: json writes whole events, legacy writes one line of text for each event.',
  },
  'audit-log-version': {
    type: 'string',
    help: 'API group and version of events in the log. Default: the only one that is supported.',
  },
  'audit-log-maxage': {
    type: 'int',
    default: 0,
    min: 0,
    unit: 'days',
    help: 'How long rotated log files are kept. 0 keeps them for ever.',
  },
  'audit-log-maxbackup': { type: 'int', default: 0, min: 0, help: 'Maximum number of rotated log files. 0 keeps all.' },
  'audit-log-maxsize': {
    type: 'int',
    default: 100,
    min: 0,
    unit: 'megabytes',
    help: 'Size at which a log file is rotated. 0 means 100.',
  },
  'audit-log-compress': { type: 'bool', help: 'Compress rotated log files with gzip.' },
  'audit-log-mode': {
    type: 'string',
    choices: MODES,
    default: 'blocking',
    help: 'How requests wait for the log: batch does not wait; blocking waits until the event is written; blocking-strict also refuses a request whose arrival cannot be recorded.',
  },
  'audit-log-batch-buffer-size': {
    type: 'int',
    default: 10_000,
    min: 1,
    help: 'Number of events that may wait for the log in batch mode. Further events are dropped and counted.',
  },
  'audit-log-batch-max-size': {
    type: 'int',
    default: 1,
    min: 1,
    help: 'Maximum number of events in one batch for the log, in batch mode.',
  },
  'audit-log-batch-max-wait': {
    type: 'duration',
    default: 0,
    min: 0,
    help: 'How long a batch for the log waits for further events, in batch mode.',
  },
  'audit-log-batch-throttle-enable': { type: 'bool', help: 'Limit the rate of batches for the log, in batch mode.' },
  'audit-log-batch-throttle-qps': {
    type: 'string',
    default: '0',
    check: checkRate,
    help: 'Average number of batches written to the log per second, if throttling is enabled.',
  },
  'audit-log-batch-throttle-burst': {
    type: 'int',
    default: 0,
    min: 0,
    help: 'Number of batches that may be written to the log at once after a quiet period, if throttling is enabled.',
  },
  'audit-log-truncate-enabled': {
    type: 'bool',
    help: 'Truncate events and batches for the log that are too large: bodies are removed first, and an event that is still too large is left out.',
  },
  'audit-log-truncate-max-event-size': {
    type: 'bytes',
    default: 100 << 10,
    min: 1,
    help: 'Maximum size of an event for the log, if truncation is enabled.',
  },
  'audit-log-truncate-max-batch-size': {
    type: 'bytes',
    default: 10 * MEBIBYTE,
    min: 1,
    help: 'Maximum size of a batch for the log, if truncation is enabled.',
  },
  'audit-webhook-config-file': {
    type: 'string',
    help: 'Kubeconfig of the server that events are sent to, with the credentials for it.',
  },
  'audit-webhook-version': {
    type: 'string',
    help: 'API group and version of events for the webhook. Default: the only one that is supported.',
  },
  'audit-webhook-initial-backoff': {
    type: 'duration',
    default: 10_000,
    min: 1,
    help: 'Delay before the first retry after the webhook did not accept events. There are five attempts in all; each later delay is one and a half times the one before.',
  },
  'audit-webhook-mode': {
    type: 'string',
    choices: MODES,
    default: 'batch',
    help: 'How requests wait for the webhook, as in --audit-log-mode.',
  },
  'audit-webhook-batch-buffer-size': {
    type: 'int',
    default: 10_000,
    min: 1,
    help: 'Number of events that may wait for the webhook in batch mode. Further events are dropped and counted.',
  },
  'audit-webhook-batch-max-size': {
    type: 'int',
    default: 400,
    min: 1,
    help: 'Maximum number of events in one batch for the webhook, in batch mode.',
  },
  'audit-webhook-batch-max-wait': {
    type: 'duration',
    default: 30_000,
    min: 0,
    help: 'How long a batch for the webhook waits for further events, in batch mode.',
  },
  'audit-webhook-batch-throttle-enable': {
    type: 'bool',
    default: true,
    help: 'Limit the rate of batches for the webhook, in batch mode.',
  },
  'audit-webhook-batch-throttle-qps': {
    type: 'string',
    default: '10',
    check: checkRate,
    help: 'Average number of batches sent to the webhook per second, if throttling is enabled.',
  },
  'audit-webhook-batch-throttle-burst': {
    type: 'int',
    default: 15,
    min: 0,
    help: 'Number of batches that may be sent to the webhook at once after a quiet period, if throttling is enabled.',
  },
  'audit-webhook-truncate-enabled': {
    type: 'bool',
    help: 'Truncate events and batches for the webhook that are too large: bodies are removed first, and an event that is still too large is left out.',
  },
  'audit-webhook-truncate-max-event-size': {
    type: 'bytes',
    default: 100 << 10,
    min: 1,
    help: 'Maximum size of an event for the webhook, if truncation is enabled.',
  },
  'audit-webhook-truncate-max-batch-size': {
    type: 'bytes',
    default: 10 * MEBIBYTE,
    min: 1,
    help: 'Maximum size of a batch for the webhook, if truncation is enabled.',
  },
  'audit-postgres': {
    type: 'bool',
    help: 'Write events to the database of the state too, into a schema named audit with a partition for each day.',
  },
  'audit-postgres-retention': {
    type: 'duration',
    default: 30 * 24 * 3_600_000,
    min: 3_600_000,
    help: 'How long events are kept in the database. Partitions of whole days (UTC) that are older are dropped.',
  },
} as const;

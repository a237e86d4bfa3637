import type { Names } from '@orch/machinery';
import { type Logger, type Metrics, type OptionValues, systemClock } from '@orch/runtime';
import type { Scheme } from '@orch/schema';
import { auditMetrics } from './audit-metrics.js';
import type { auditOptions } from './audit-options.js';
import type { AuditBackend, AuditSink, BackendMode, LostEvents } from './backends/backend.js';
import { BatchingBackend } from './backends/batching.js';
import { BlockingBackend } from './backends/blocking.js';
import { type TruncateSettings, TruncatingSink } from './backends/truncating.js';
import { unionOf } from './backends/union.js';
import { type ActionAudit, ActionRecorder, type AuditRecording } from './events/action-recorder.js';
import { LogSink, standardOutput } from './log/log-sink.js';
import { RotatingFile } from './log/rotating-file.js';
import { PolicyEvaluator } from './policy/evaluator.js';
import { loadPolicy } from './policy/policy.js';
import { type EventDatabase, PostgresSink } from './postgres/postgres-sink.js';
import { WebhookSink } from './webhook/webhook-sink.js';

/** Values of {@link auditOptions}. */
type AuditOptions = OptionValues<typeof auditOptions>;

interface AuditLogSettings {
  readonly options: AuditOptions;
  /** The schema that `--audit-postgres` writes to; asked for only then. @throws Error where it cannot be used */
  readonly database: () => Promise<EventDatabase>;
  /** Whether this process drops the events that are older than they are kept. */
  readonly dropsOldEvents: boolean;
  readonly scheme: Scheme;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** The audit log of a process. */
export interface AuditLog {
  /** Policy, backends and limits that requests are recorded with; absent where nothing is recorded. */
  readonly recording?: AuditRecording;
  /** Records what controllers do within the process; absent where nothing is recorded. */
  readonly actions?: ActionAudit;
  /** Writes what waits. @param deadline aborts when the time for an orderly end is over */
  close(deadline?: AbortSignal): Promise<void>;
}

/** Batches that are on their way to a webhook at a time: more would only wait there. */
const WEBHOOK_CONCURRENCY = 8;
/** Lines that are given to a file at a time, which writes together what has come. */
const LOG_CONCURRENCY = 2048;
const POSTGRES_BATCH = { bufferSize: 10_000, maxSize: 400, maxWaitMs: 1_000, concurrency: 1 };
/** How long lines wait to be written together, milliseconds. */
const GATHER_MS = 20;
const MEGABYTE = 1 << 20;
const DEFAULT_MEGABYTES = 100;
/** Milliseconds in which lost events are told of once. */
const TELL_MS = 10_000;

const NOTHING: AuditLog = { close: async () => undefined };

/** Opens what the options name. @throws Error for a policy, a file or a webhook that cannot be used */
export async function openAuditLog(settings: AuditLogSettings): Promise<AuditLog> {
  const { options, scheme, metrics, logger } = settings;
  const observer = auditMetrics(metrics);
  const isAsked =
    options.auditLogPath !== undefined || options.auditWebhookConfigFile !== undefined || options.auditPostgres;
  if (options.auditPolicyFile === undefined) {
    if (isAsked) logger.warn('no --audit-policy-file is given: nothing is recorded in the audit log');
    return NOTHING;
  }
  const { policy, problems } = await loadPolicy(options.auditPolicyFile, scheme);
  for (const problem of problems) logger.warn('--audit-policy-file', { problem });
  const apiVersion = eventVersion(scheme.names);
  checkVersions(options, apiVersion);
  const lost = tellingOf(observer.lost, logger);
  const backends: AuditBackend[] = [];
  try {
    backends.push(...(await logBackend(options, lost, logger)));
    backends.push(...(await webhookBackend(options, lost, scheme.names)));
    backends.push(...(await postgresBackend(settings, lost)));
  } catch (error) {
    await unionOf(backends).close();
    throw error;
  }
  if (backends.length === 0) return NOTHING;
  const backend = unionOf(backends);
  const evaluator = new PolicyEvaluator(policy);
  const recording: AuditRecording = {
    ...{ policy: evaluator, backend, observer, apiVersion },
    maxBodyBytes: options.auditMaxBodyBytes,
    clock: systemClock,
  };
  return { recording, actions: new ActionRecorder(recording), close: (deadline) => backend.close(deadline) };
}

/** Returns the `apiVersion` that events are written in. */
export const eventVersion = (names: Names): string => `${names.group('audit.orch.io')}/v1`;

/** @throws Error for another version than the one that events are written in */
export function checkVersions(
  { auditLogVersion, auditWebhookVersion }: Pick<AuditOptions, 'auditLogVersion' | 'auditWebhookVersion'>,
  known: string,
): void {
  const given = { '--audit-log-version': auditLogVersion, '--audit-webhook-version': auditWebhookVersion };
  for (const [option, version] of Object.entries(given))
    if (version !== undefined && version !== known)
      throw new Error(`${option}: invalid group version, allowed versions are ["${known}"]`);
}

/** Counts all, and tells of some. */
function tellingOf(count: LostEvents, logger: Logger): LostEvents {
  const toldAt = new Map<string, number>();
  return (plugin, events, why) => {
    count(plugin, events, why);
    const now = performance.now();
    if (now - (toldAt.get(plugin) ?? Number.NEGATIVE_INFINITY) < TELL_MS) return;
    toldAt.set(plugin, now);
    logger.error('audit events were lost', why, { plugin, events });
  };
}

async function logBackend(options: AuditOptions, lost: LostEvents, logger: Logger): Promise<AuditBackend[]> {
  const { auditLogPath: path } = options;
  if (path === undefined) return [];
  const truncate = truncation(options.auditLogTruncateEnabled, 'log', {
    maxEventSize: options.auditLogTruncateMaxEventSize,
    maxBatchSize: options.auditLogTruncateMaxBatchSize,
  });
  const batch = {
    bufferSize: options.auditLogBatchBufferSize,
    bufferBytes: options.auditBufferBytes,
    maxSize: options.auditLogBatchMaxSize,
    maxWaitMs: options.auditLogBatchMaxWait,
    concurrency: LOG_CONCURRENCY,
    ...throttling(options.auditLogBatchThrottleEnable, 'log', {
      qps: Number(options.auditLogBatchThrottleQps),
      burst: options.auditLogBatchThrottleBurst,
    }),
  };
  const out = path === '-' ? standardOutput : await openFile(options, path, logger);
  return [backendOf(new LogSink(out, options.auditLogFormat), options.auditLogMode, batch, truncate, lost)];
}

const openFile = (options: AuditOptions, path: string, logger: Logger) =>
  RotatingFile.open({
    path,
    maxBytes: (options.auditLogMaxsize || DEFAULT_MEGABYTES) * MEGABYTE,
    maxAgeDays: options.auditLogMaxage,
    maxBackups: options.auditLogMaxbackup,
    compress: options.auditLogCompress,
    // Where nobody waits, a write for many costs each of them little.
    ...(options.auditLogMode === 'batch' && { gatherMs: GATHER_MS }),
    onError: (error) => logger.error('old audit log files could not be removed', error),
  });

async function webhookBackend(options: AuditOptions, lost: LostEvents, names: Names): Promise<AuditBackend[]> {
  const { auditWebhookConfigFile: configFile } = options;
  if (configFile === undefined) return [];
  const sink = await WebhookSink.open({
    configFile,
    names,
    initialBackoffMs: options.auditWebhookInitialBackoff,
  });
  const truncate = truncation(options.auditWebhookTruncateEnabled, 'webhook', {
    maxEventSize: options.auditWebhookTruncateMaxEventSize,
    maxBatchSize: options.auditWebhookTruncateMaxBatchSize,
  });
  const batch = {
    bufferSize: options.auditWebhookBatchBufferSize,
    bufferBytes: options.auditBufferBytes,
    maxSize: options.auditWebhookBatchMaxSize,
    maxWaitMs: options.auditWebhookBatchMaxWait,
    concurrency: WEBHOOK_CONCURRENCY,
    ...throttling(options.auditWebhookBatchThrottleEnable, 'webhook', {
      qps: Number(options.auditWebhookBatchThrottleQps),
      burst: options.auditWebhookBatchThrottleBurst,
    }),
  };
  return [backendOf(sink, options.auditWebhookMode, batch, truncate, lost)];
}

async function postgresBackend(
  { options, database, dropsOldEvents, logger }: AuditLogSettings,
  lost: LostEvents,
): Promise<AuditBackend[]> {
  if (!options.auditPostgres) return [];
  const sink = new PostgresSink({
    database: await database(),
    retentionMs: dropsOldEvents ? options.auditPostgresRetention : undefined,
    lost,
    clock: systemClock,
    onError: (error) => logger.error('old audit events could not be removed from the database', error),
  });
  return [new BatchingBackend(sink, { ...POSTGRES_BATCH, bufferBytes: options.auditBufferBytes }, lost, systemClock)];
}

/** @throws Error for what does not go together, in the reference's words */
function truncation(isOn: boolean, plugin: string, settings: TruncateSettings): TruncateSettings | undefined {
  const { maxEventSize, maxBatchSize } = settings;
  if (maxBatchSize < maxEventSize)
    throw new Error(
      `invalid audit truncate ${plugin} max batch size ${maxBatchSize}, must be greater than max event size (${maxEventSize})`,
    );
  return isOn ? settings : undefined;
}

/** @throws Error for what is not positive, in the reference's words */
function throttling(isOn: boolean, plugin: string, throttle: { readonly qps: number; readonly burst: number }) {
  if (!isOn) return {};
  const words = `invalid audit batch ${plugin} throttle`;
  if (throttle.qps <= 0) throw new Error(`${words} QPS ${throttle.qps}, must be a positive number`);
  if (throttle.burst <= 0) throw new Error(`${words} burst ${throttle.burst}, must be a positive number`);
  return { throttle };
}

function backendOf(
  sink: AuditSink,
  mode: BackendMode,
  batch: ConstructorParameters<typeof BatchingBackend>[1],
  truncate: TruncateSettings | undefined,
  lost: LostEvents,
): AuditBackend {
  const shortened = truncate ? new TruncatingSink(sink, truncate, lost) : sink;
  if (mode === 'batch') return new BatchingBackend(shortened, batch, lost, systemClock);
  const waiting = { strict: mode === 'blocking-strict', bufferBytes: batch.bufferBytes };
  return new BlockingBackend(shortened, waiting, lost, systemClock);
}

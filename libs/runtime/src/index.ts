export { aborted } from './aborted.js';
export * from './clock.js';
export * from './feature-gates.js';
export { FileWatch, type FileWatchSettings } from './file-watch.js';
export * from './health.js';
export { type CollectedProcess, IdleCollector, type IdleCollectorSettings } from './idle-collector.js';
export * from './lifecycle.js';
export {
  createLogger,
  type LogFields,
  type LogFormat,
  type Logger,
  type LoggerSettings,
  type LogWriter,
  loggingOptions,
  silentLogger,
} from './logging/logger.js';
export { COUNT_BUCKETS, LATENCY_BUCKETS } from './metrics/buckets.js';
export { checkShownVersion } from './metrics/deprecation.js';
export type { Family, LabelTuple, MetricDefinition } from './metrics/family.js';
export type { HistogramSeries } from './metrics/histogram.js';
export {
  type CounterSeries,
  type GaugeSeries,
  type MetricDescription,
  Metrics,
  type MetricsSettings,
  REQUEST_DURATION_BUCKETS,
  type ReadSeries,
} from './metrics/metrics.js';
export { type CommandLine, type Output, readCommandLine } from './options/command-line.js';
export type { OptionDefinition, OptionDefinitions, OptionValue, OptionValues } from './options/definition.js';
export type { EnvironmentVariables } from './options/environment.js';
export { optionText } from './options/help.js';
export { defineOptions, type Options, OptionsError, type ParsedOptions } from './options/options.js';
export { formatDuration } from './options/values.js';
export { orAborted } from './or-aborted.js';
export { type ProcessControl, runToCompletion } from './process.js';
export { BUILD, type Build, RELEASE } from './release.js';
export { removeTree } from './remove-tree.js';
export { type NotifySender, ServiceManager, type ServiceManagerSettings, systemdNotify } from './service-manager.js';
export { readDirectly } from './sockets/direct-reads.js';
export { gatherWrites } from './sockets/gather-writes.js';
export { GatheredWrites } from './sockets/gathered-writes.js';
export { openTracing, type TracingSettings } from './tracing/open-tracing.js';
export { type SpanAttributes, type SpanRole, TraceSpan, Tracing } from './tracing/tracing.js';

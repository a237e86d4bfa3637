import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { TraceSink } from './tracing.js';

/** Settings for sending spans to an OTLP collector. */
export interface OtlpSettings {
  /** Address of the collector: `host:port` or a URL; spans go to `/v1/traces` unless it has a path of its own. */
  readonly endpoint: string;
  /** Value of the resource attribute `service.name`. */
  readonly serviceName: string;
  /** Value of the resource attribute `service.version`. */
  readonly serviceVersion: string;
  /** Distinguishes processes of one service. */
  readonly instanceId: string;
  /** Called when spans could not be sent; they are lost. */
  readonly onError?: (error: unknown) => void;
}

/** Milliseconds of gathering spans before they are sent, of sending, and of closing. */
const GATHER_MS = 1_000;
const EXPORT_MS = 5_000;
const CLOSE_MS = 2_000;
/** Maximum number of waiting spans; more are dropped. */
const MAX_QUEUE = 4_096;

/** Sends spans over OTLP/HTTP (JSON), in the background. Spans that cannot be sent are dropped, never waited for. */
export function otlpSink(settings: OtlpSettings): TraceSink {
  const exporter = observed(
    new OTLPTraceExporter({ url: tracesUrl(settings.endpoint), timeoutMillis: EXPORT_MS }),
    settings,
  );
  const provider = new TracerProvider({
    sampler: new AlwaysOnSampler(), // spans that are started are sampled already
    resource: resourceFromAttributes({
      'service.name': settings.serviceName,
      'service.version': settings.serviceVersion,
      'service.instance.id': settings.instanceId,
    }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: GATHER_MS,
        exportTimeoutMillis: EXPORT_MS,
        maxQueueSize: MAX_QUEUE,
      }),
    ],
  });
  return { tracer: provider.getTracer(settings.serviceName), close: () => within(CLOSE_MS, provider.shutdown()) };
}

/** @throws TypeError for an invalid endpoint */
export function tracesUrl(endpoint: string): string {
  const url = new URL(/^https?:\/\//.test(endpoint) ? endpoint : `http://${endpoint}`);
  if (url.pathname === '/') url.pathname = '/v1/traces';
  return url.href;
}

/** Reports failures of an exporter: the library would report them through a logger that is global to the process. */
function observed(exporter: SpanExporter, { onError }: OtlpSettings): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error) onError?.(result.error);
        done(result);
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}

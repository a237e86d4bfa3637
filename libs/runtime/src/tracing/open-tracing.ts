import type { OtlpSettings } from './otlp.js';
import { Tracing } from './tracing.js';

/** Destination of spans, and the sampling rate of requests. */
export interface TracingSettings extends OtlpSettings {
  /** Requests to sample, per million that come without a trace; 0 to 1,000,000. */
  readonly samplingRatePerMillion: number;
}

/**
 * Opens tracing to a collector. The exporter is only loaded here, on demand.
 * @throws RangeError, TypeError for invalid settings
 */
export async function openTracing(settings: TracingSettings): Promise<Tracing> {
  const { samplingRatePerMillion: rate } = settings;
  if (!Number.isInteger(rate) || rate < 0 || rate > 1e6)
    throw new RangeError(`samplingRatePerMillion must be from 0 to 1000000: ${rate}`);
  const { otlpSink } = await import('./otlp.js');
  return new Tracing(otlpSink(settings), rate);
}

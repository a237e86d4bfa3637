import type { SpanContext } from '@opentelemetry/api';

const FORM = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const LENGTH = 55;
const SAMPLED = 1;
const NONE = /^0+$/;

/** Parses a `traceparent` header (W3C Trace Context, section 3.2). Undefined for an invalid one. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  if (text === undefined || text.length < LENGTH || text.length > 2 * LENGTH) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = FORM.exec(text) ?? [];
  if (traceId === '' || NONE.test(traceId) || NONE.test(spanId)) return undefined;
  // Version 00 has nothing behind the flags.
  if (text.startsWith('00') && text.length > LENGTH) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

/** Whether the `sampled` flag of a context is set. */
export const isSampled = ({ traceFlags }: SpanContext): boolean => (traceFlags & SAMPLED) === SAMPLED;

/** Formats a context as a `traceparent` header. */
export const formatTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;

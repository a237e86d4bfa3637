import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { formatTraceparent, isSampled, parseTraceparent } from './traceparent.js';

/** Role of a span among related ones (OpenTelemetry's `SpanKind`). Default `internal`. */
export type SpanRole = 'server' | 'client' | 'producer' | 'consumer' | 'internal';
/** Texts, numbers, booleans or lists of them, by name; never secrets. */
export type SpanAttributes = Attributes;

/** Start of a span. Times are monotonic milliseconds (`performance.now()`). */
interface SpanStart {
  readonly role?: SpanRole;
  /**
   * Spans that caused this one, each as a `traceparent`: it continues the trace of the first, and links to the others.
   */
  readonly causes?: readonly string[];
  /** Default: now. */
  readonly at?: number;
  readonly attributes?: SpanAttributes;
}

const ROLES: Readonly<Record<SpanRole, SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** Maximum number of links of a span: a batch holds more writes than a trace can usefully show. */
const MAX_LINKS = 64;

/** A recorded span. */
export class TraceSpan {
  constructor(
    private readonly span: Span,
    private readonly tracing: Tracing,
  ) {}

  /** The W3C header for continuing this span elsewhere. */
  get traceparent(): string {
    return formatTraceparent(this.span.spanContext());
  }

  /** 32 hexadecimal digits, the same for all spans of a trace; for logs and exemplars. */
  get traceId(): string {
    return this.span.spanContext().traceId;
  }

  /** Adds a child span that has ended already. */
  part(name: string, from: number, to: number, attributes: SpanAttributes = {}): void {
    this.tracing.start(name, { causes: [this.traceparent], at: from, attributes })?.end({ at: to });
  }

  /** `error`: reason of a failure; text that readers of traces may see. */
  end({ at, attributes, error }: { at?: number; attributes?: SpanAttributes; error?: string } = {}): void {
    if (attributes !== undefined) this.span.setAttributes(attributes);
    if (error !== undefined) this.span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    this.span.end(at);
  }
}

/** The parts of an exporter that tracing needs. */
export interface TraceSink {
  readonly tracer: Tracer;
  /** Sends remaining spans; resolves even when that fails. */
  close(): Promise<void>;
}

/**
 * Records the traces that are sampled, and only those: an unsampled one costs a comparison. Starting a span makes no
 * decision; a trace that came with `sampled` set is recorded, one without it is not, and of the requests that came
 * without a trace `samplingRatePerMillion` are sampled here.
 */
export class Tracing {
  readonly #current = new AsyncLocalStorage<TraceSpan>();

  constructor(
    private readonly sink: TraceSink,
    private readonly samplingRatePerMillion: number,
    private readonly random: () => number = Math.random,
  ) {}

  /** Starts the span of a request, if it is sampled. */
  request(name: string, traceparent: string | undefined, start: Omit<SpanStart, 'causes' | 'role'>) {
    const parent = parseTraceparent(traceparent);
    const wanted = parent ? isSampled(parent) : this.random() * 1e6 < this.samplingRatePerMillion;
    if (!wanted) return undefined;
    return this.#start(name, parent, [], { ...start, role: 'server' });
  }

  /** Starts a span caused by others; undefined when none of them is recorded. */
  start(name: string, { causes = [], ...start }: SpanStart): TraceSpan | undefined {
    const [parent, ...others] = causes.slice(0, MAX_LINKS + 1).flatMap((text) => parseTraceparent(text) ?? []);
    if (parent === undefined || !isSampled(parent)) return undefined;
    return this.#start(name, parent, others, start);
  }

  /** Runs the work with `current` set to this span, also in everything asynchronous that it starts. */
  within<R>(span: TraceSpan, work: () => R): R {
    return this.#current.run(span, work);
  }

  /** The span of the running work; undefined outside of {@link within}. */
  get current(): TraceSpan | undefined {
    return this.#current.getStore();
  }

  /** Sends remaining spans, for two seconds at most; resolves even when that fails. Spans that end later are lost. */
  close(): Promise<void> {
    return this.sink.close();
  }

  #start(name: string, parent: SpanContext | undefined, linked: readonly SpanContext[], start: SpanStart): TraceSpan {
    const { role = 'internal', at, attributes = {} } = start;
    const context: Context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
    const links: Link[] = linked.map((other) => ({ context: other }));
    const options = { kind: ROLES[role], attributes, links, ...(at !== undefined && { startTime: at }) };
    return new TraceSpan(this.sink.tracer.startSpan(name, options, context), this);
  }
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string };
}

export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
}

/** A collector of traces (OTLP over HTTP, JSON) that keeps what it gets. */
export interface Collector {
  readonly endpoint: string;
  /** The spans of a trace that have come so far. */
  of(traceId: string): CollectedSpan[];
  readonly traceIds: ReadonlySet<string>;
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const server = createServer(async (req, res) => {
    let text = '';
    for await (const piece of req.setEncoding('utf8')) text += piece;
    for (const { resource, scopeSpans } of JSON.parse(text).resourceSpans) {
      const names = (resource.attributes as Attribute[]).filter(({ key }) => key === 'service.name');
      const service = names[0]?.value.stringValue ?? '';
      for (const scope of scopeSpans) {
        for (const span of scope.spans) spans.push({ ...span, service });
      }
    }
    res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    of: (traceId) => spans.filter((span) => span.traceId === traceId),
    get traceIds() {
      return new Set(spans.map(({ traceId }) => traceId));
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

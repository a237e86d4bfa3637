import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { openTracing } from './open-tracing.js';
import { tracesUrl } from './otlp.js';
import { formatTraceparent, parseTraceparent } from './traceparent.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

test('traceparent: what is one is read and written back', () => {
  const context = parseTraceparent(`00-${TRACE}-${SPAN}-01`);
  expect(context).toMatchObject({ traceId: TRACE, spanId: SPAN, traceFlags: 1 });
  expect(formatTraceparent(context!)).toBe(`00-${TRACE}-${SPAN}-01`);
  expect(parseTraceparent(`01-${TRACE}-${SPAN}-03-later`), 'a later version may have more').toBeDefined();
});

test.each([
  undefined,
  '',
  'x'.repeat(10_000),
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}`,
])('traceparent: %s is none', (text) => {
  expect(parseTraceparent(text)).toBeUndefined();
});

test('the endpoint of a collector', () => {
  expect(tracesUrl('localhost:4318')).toBe('http://localhost:4318/v1/traces');
  expect(tracesUrl('https://collector.example')).toBe('https://collector.example/v1/traces');
  expect(tracesUrl('http://collector/own')).toBe('http://collector/own');
  expect(() => tracesUrl('http://')).toThrow(TypeError);
});

interface Received {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly links?: readonly { readonly traceId: string }[];
  readonly status: { readonly code?: number };
}

async function collecting(status = 200) {
  const spans: Received[] = [];
  const server = createServer(async (req, res) => {
    const pieces: Buffer[] = [];
    for await (const piece of req) pieces.push(piece as Buffer);
    const { resourceSpans } = JSON.parse(Buffer.concat(pieces).toString());
    for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
    res.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { spans, endpoint, close: () => server.close() };
}

const SERVICE = { serviceName: 'test', serviceVersion: '1', instanceId: 'one' };

test('spans reach a collector: parents, links, times and failures', async () => {
  const collector = await collecting();
  const tracing = await openTracing({ ...SERVICE, endpoint: collector.endpoint, samplingRatePerMillion: 1e6 });
  const from = performance.now() - 10;
  const request = tracing.request('GET', `00-${TRACE}-${SPAN}-01`, { at: from });
  const own = tracing.request('LIST', undefined, {});
  const batch = tracing.start('batch', { causes: [request!.traceparent, own!.traceparent], role: 'internal' });
  tracing.within(batch!, () => expect(tracing.current).toBe(batch));
  expect(tracing.current).toBeUndefined();
  batch?.end({ error: 'broken' });
  request?.part('decode', from, from + 2);
  request?.end();
  own?.end();
  await tracing.close();
  collector.close();
  const byName = new Map(collector.spans.map((span) => [span.name, span]));
  expect(byName.get('GET')).toMatchObject({ traceId: TRACE, parentSpanId: SPAN, kind: 2 });
  expect(byName.get('batch')).toMatchObject({ traceId: TRACE, parentSpanId: byName.get('GET')?.spanId });
  expect(byName.get('batch')?.links).toMatchObject([{ traceId: byName.get('LIST')?.traceId }]);
  expect(byName.get('batch')?.status.code).toBe(2);
  const decode = byName.get('decode');
  const took = Number(BigInt(decode?.endTimeUnixNano ?? 0) - BigInt(decode?.startTimeUnixNano ?? 0));
  expect(took / 1e6).toBeCloseTo(2, 1);
  expect(Math.abs(Number(decode?.startTimeUnixNano) / 1e6 - Date.now())).toBeLessThan(10_000);
});

test('what is not sampled is not recorded, whoever decided it', async () => {
  const collector = await collecting();
  const tracing = await openTracing({ ...SERVICE, endpoint: collector.endpoint, samplingRatePerMillion: 0 });
  expect(tracing.request('GET', undefined, {})).toBeUndefined();
  expect(tracing.request('GET', 'garbage', {})).toBeUndefined();
  expect(tracing.request('GET', `00-${TRACE}-${SPAN}-00`, {})).toBeUndefined();
  expect(tracing.start('x', { causes: [`00-${TRACE}-${SPAN}-00`] })).toBeUndefined();
  expect(tracing.start('x', {})).toBeUndefined();
  expect(tracing.request('GET', `00-${TRACE}-${SPAN}-01`, {})).toBeDefined();
  await tracing.close();
  collector.close();
});

test('a collector that refuses is told of and holds nobody up', async () => {
  const collector = await collecting(400);
  const errors: unknown[] = [];
  const settings = { ...SERVICE, endpoint: collector.endpoint, onError: (error: unknown) => errors.push(error) };
  const tracing = await openTracing({ ...settings, samplingRatePerMillion: 1e6 });
  tracing.request('GET', undefined, {})?.end();
  await tracing.close();
  expect(errors).toHaveLength(1);
  collector.close();
});

test.each([-1, 1.5, 1e6 + 1, Number.NaN])('a rate of %d per million is refused', async (samplingRatePerMillion) => {
  await expect(openTracing({ ...SERVICE, endpoint: 'x:1', samplingRatePerMillion })).rejects.toThrow(RangeError);
});

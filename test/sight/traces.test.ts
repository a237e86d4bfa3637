import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, waitUntil } from '../../tools/up/index.js';
import { Api } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';
import { type CollectedSpan, type Collector, startCollector } from './collector.js';

const PATH = '/api/v1/namespaces/default/configmaps';
const MAX_WAIT_MS = 10_000;
const CLIENT_SPAN = 'b7ad6b7169203331';
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

let dir: string;
let collector: Collector;
let cluster: Cluster;
let api: Api;

beforeAll(async () => {
  dir = makeServerFolder('orch-traces-');
  collector = await startCollector();
  const config = join(dir, 'tracing.yaml');
  const lines = ['apiVersion: apiserver.config.k8s.io/v1beta1', 'kind: TracingConfiguration'];
  writeFileSync(config, [...lines, `endpoint: ${collector.endpoint}`, 'samplingRatePerMillion: 0', ''].join('\n'));
  cluster = await startCluster({ dir, apiServers: 1, gateways: 1, serverArgs: [`--tracing-config-file=${config}`] });
  api = new Api(cluster);
});

afterAll(async () => {
  api?.close();
  await cluster?.stop();
  await collector?.close();
  rmSync(dir, { recursive: true, force: true });
});

/** The spans of a trace by name, once all of these have come. */
async function spansOf(traceId: string, names: readonly string[]): Promise<Map<string, CollectedSpan>> {
  const found = () => new Map(collector.of(traceId).map((span) => [span.name, span]));
  await waitUntil(`${names.join(', ')} are collected`, MAX_WAIT_MS, () =>
    names.every((name) => found().has(name)),
  ).catch(() => expect([...found().keys()]).toEqual(names));
  return found();
}

test('a write is followed from the request to the event that a watcher gets from the other tier', async () => {
  const traceId = 'a'.repeat(32);
  const stream = await api.watch(`${PATH}?watch=1&fieldSelector=metadata.name=traced`);
  const headers = { traceparent: `00-${traceId}-${CLIENT_SPAN}-01` };
  expect((await api.request('POST', PATH, { body: configMap('traced'), headers })).status).toBe(201);
  expect((await stream.next())?.type).toBe('ADDED');
  stream.close();
  const names = ['POST configmaps', 'authenticate', 'receive', 'decode', 'wait', 'send'];
  const spans = await spansOf(traceId, [...names, 'store batch', 'publish', 'feed receive', 'flush']);
  const parentOf = (name: string) => {
    const parent = spans.get(name)?.parentSpanId;
    return [...spans.values()].find(({ spanId }) => spanId === parent)?.name;
  };
  expect(spans.get('POST configmaps')?.parentSpanId).toBe(CLIENT_SPAN);
  for (const part of [...names.slice(1), 'store batch']) expect([part, parentOf(part)]).toEqual([part, names[0]]);
  expect(parentOf('publish')).toBe('store batch');
  expect(parentOf('feed receive')).toBe('publish');
  expect(parentOf('flush')).toBe('feed receive');
  expect(spans.get('publish')?.service).toBe('orch-api-server');
  expect(spans.get('flush')?.service).toBe('orch-watch-gateway');
  for (const { name, startTimeUnixNano, endTimeUnixNano } of spans.values())
    expect(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano), name).toBe(true);
});

test('writes that are committed together name each other, and each has its own trace', async () => {
  const ids = Array.from({ length: 20 }, (_, at) => (at + 16).toString(16).padStart(32, '1'));
  await Promise.all(
    ids.map((id, at) => {
      const headers = { traceparent: `00-${id}-${CLIENT_SPAN}-01` };
      return api.request('POST', PATH, { body: configMap(`together-${at}`), headers });
    }),
  );
  const all = () => ids.flatMap((id) => collector.of(id));
  await waitUntil('all requests are collected', MAX_WAIT_MS, () => {
    return all().filter(({ name }) => name === 'POST configmaps').length === ids.length;
  });
  const batches = () => all().filter(({ name }) => name === 'store batch');
  const named = () => batches().flatMap(({ traceId, links = [] }) => [traceId, ...links.map((link) => link.traceId)]);
  await waitUntil('every write is in a batch', MAX_WAIT_MS, () => new Set(named()).size === ids.length);
  expect(named().toSorted()).toEqual(ids.toSorted());
});

test('a watch that is handed on is one trace over both servers, under one request id', async () => {
  const traceId = 'c'.repeat(32);
  const direct = new Api({ url: cluster.apiServerUrls[0] ?? '', ca: cluster.ca, token: cluster.token });
  const headers = { traceparent: `00-${traceId}-${CLIENT_SPAN}-01`, 'audit-id': 'one-request' };
  const answer = await direct.open('GET', `${PATH}?watch=1&timeoutSeconds=1`, { headers });
  expect(answer.headers['audit-id']).toBe('one-request');
  answer.resume();
  await waitUntil(
    'both servers tell of it',
    MAX_WAIT_MS,
    () =>
      collector.of(traceId).some(({ service }) => service === 'orch-watch-gateway') &&
      collector.of(traceId).some(({ service, name }) => service === 'orch-api-server' && name === 'WATCH configmaps'),
  );
  direct.close();
});

test('nothing is recorded of requests that came without a trace, or unsampled', async () => {
  const before = collector.traceIds;
  const headers = { traceparent: `00-${'d'.repeat(32)}-${CLIENT_SPAN}-00` };
  for (let at = 0; at < 20; at++) {
    await api.get(PATH);
    await api.request('POST', PATH, { body: configMap(`untraced-${at}`), headers });
  }
  const last = 'e'.repeat(32);
  await api.request('GET', PATH, { headers: { traceparent: `00-${last}-${CLIENT_SPAN}-01` } });
  await spansOf(last, ['LIST configmaps']);
  expect([...collector.traceIds].filter((id) => !before.has(id))).toEqual([last]);
});

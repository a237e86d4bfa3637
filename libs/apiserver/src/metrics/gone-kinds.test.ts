import { Metrics } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import {
  definitionOf,
  listenerOf,
  openServer,
  serveCustom,
  type TestApi,
  type TestServer,
  testApi,
  version,
} from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { forgetGoneKinds, GATHER_MS, KEPT_MS } from './gone-kinds.js';

const WIDGETS = '/apis/example.test/v1/namespaces/default/widgets';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

describe('a kind that is served no more', () => {
  let api: TestApi;
  let server: TestServer;
  let metrics: Metrics;
  let clock: ManualClock;
  const forgetType = vi.fn();
  beforeEach(async () => {
    api = await testApi({}, 'kubernetes');
    metrics = new Metrics();
    clock = new ManualClock();
    forgetType.mockClear();
    forgetGoneKinds({ metrics, served: api.served, clock, forgetType });
    server = await openServer(listenerOf(api, { metrics }));
  });
  afterEach(async () => {
    await server.close();
    api.close();
  });

  const schema = { type: 'object' };
  const one = definitionOf([version('v1', schema)]);
  const both = definitionOf([version('v1', schema), version('v2', schema, { storage: false })]);
  const reported = async (of: string) =>
    (await metrics.text()).body.split('\n').filter((line) => line.includes(of)).length;
  const askAll = async (path: string) => {
    for (const method of ['GET', 'DELETE', 'GET']) await server.ask(`${path}/x`, { method });
    await server.ask(path);
  };

  it('has no series a while later', async () => {
    const [widgets] = await serveCustom(api, one);
    const byKind = metrics.counter({ name: 'events', help: 'E.', labels: ['group', 'version', 'kind'] });
    const byDefinition = metrics.counter({ name: 'conversions', help: 'C.', labels: ['crd_name'] });
    const byResource = metrics.counter({ name: 'moved', help: 'M.', labels: ['resource', 'group'] });
    byResource.with('widgets', 'example.test').inc();
    byKind.with('example.test', 'v1', 'Widget').inc();
    byDefinition.with('widgets.example.test').inc();
    byDefinition.with('others.example.test').inc();
    await askAll(WIDGETS);
    await askAll(CONFIG_MAPS);
    const [ofWidgets, ofConfigMaps] = [await reported('widgets'), await reported('configmaps')];
    expect(ofWidgets).toBeGreaterThan(50);
    await serveCustom(api);
    clock.advanceNow(KEPT_MS + GATHER_MS - 1);
    expect([await reported('widgets'), forgetType.mock.calls]).toEqual([ofWidgets, []]);
    clock.advanceNow(1);
    await expect.poll(() => reported('widgets')).toBe(0);
    expect([await reported('Widget'), await reported('configmaps')]).toEqual([0, ofConfigMaps]);
    expect(await reported('others.example.test')).toBe(1);
    await expect.poll(() => forgetType.mock.calls).toEqual([[widgets?.type]]);
    expect(clock.pending).toBe(0);
  });

  it('keeps its series when it comes back meanwhile', async () => {
    await serveCustom(api, one);
    await askAll(WIDGETS);
    const before = await reported('widgets');
    await serveCustom(api);
    await serveCustom(api, one);
    clock.advanceNow(KEPT_MS + GATHER_MS);
    expect([await reported('widgets'), forgetType.mock.calls]).toEqual([before, []]);
  });

  it('is forgotten with all that go at about the same time, in steps', async () => {
    let looks = 0;
    let ended: (change: { ended: unknown[] }) => void = () => undefined;
    const served = {
      current: { find: () => undefined, ofResource: () => undefined },
      onChange: (listener: typeof ended) => {
        ended = listener;
      },
    };
    const all = new Metrics();
    const families = ['a', 'b', 'c'].map((name) => all.counter({ name, help: 'H.', labels: ['group', 'resource'] }));
    const steps = {
      forgetting(gone: Parameters<Metrics['forgetting']>[0]) {
        looks++;
        return all.forgetting(gone);
      },
    };
    forgetGoneKinds({ metrics: steps, served: served as never, clock, forgetType });
    for (let at = 0; at < 101; at++) {
      for (const family of families) family.with('x', `r${at}`).inc();
      ended({ ended: [{ type: at, definition: { group: 'x', version: 'v1', resource: `r${at}`, kind: `K${at}` } }] });
      clock.advanceNow(1);
    }
    families[0]?.with('x', 'stays').inc();
    clock.advanceNow(KEPT_MS + GATHER_MS);
    await expect.poll(() => forgetType.mock.calls.length).toBe(101);
    expect(looks).toBe(2);
    expect((await all.text()).body.match(/^[abc]\{.*$/gm)).toEqual(['a{group="x",resource="stays"} 1']);
  });

  it('keeps those of versions that are left', async () => {
    await serveCustom(api, both);
    await askAll(WIDGETS);
    const before = await reported('widgets');
    await askAll(WIDGETS.replace('v1', 'v2'));
    await serveCustom(api, one);
    clock.advanceNow(KEPT_MS + GATHER_MS);
    await expect.poll(() => reported('widgets')).toBe(before);
    expect(forgetType).not.toHaveBeenCalled();
  });
});

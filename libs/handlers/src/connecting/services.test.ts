import { type TestApi, testApi } from '@orch/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { servicePlace } from './services.js';

let api: TestApi;
let read: string[];
beforeEach(async () => {
  api = await testApi();
  read = [];
  const addresses = Array.from({ length: 100 }, (_each, at) => ({
    ip: `10.0.0.${at + 1}`,
    targetRef: { kind: 'Pod', namespace: 'default', name: `none-${at}` },
  }));
  const subsets = [{ addresses, ports: [{ port: 80 }] }];
  await api.create('endpoints', { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 's' }, subsets });
});
afterEach(() => api.close());

/** The message of the refusal, for a client that leaves once so many pods were read. */
async function refusal(leavesAfter: number): Promise<unknown> {
  const { reader } = api.deps;
  const current: typeof reader.current = (type, key) => {
    if (key.name !== 's') read.push(key.name);
    return reader.current(type, key);
  };
  const deps = { ...api.deps, reader: { current } as typeof reader };
  const res = {
    get destroyed() {
      return read.length >= leavesAfter;
    },
  };
  const place = servicePlace(deps, { res: res as never }, 'default', 's');
  return place.catch((error: Error) => error.message);
}

it('reads the pods of 16 endpoints at most', async () => {
  expect(await refusal(100)).toBe('no endpoints available for service "s"');
  expect(new Set(read).size).toBe(16);
  expect(read).toHaveLength(16);
});

it('reads no more once the client has left', async () => {
  await refusal(3);
  expect(read).toHaveLength(3);
});

import { Admission, type AdmissionPlugin, type Target } from '@orch/admission';
import type { ApiObject } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import { MemoryStore, type TestApi, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RequestedWrite } from './requested-write.js';
import type { Modification, UpdateFunction, WriteRequest } from './write-request.js';

let api: TestApi;
/** Operations that the plugin was asked about whether it handles them, and those that it was called for. */
let [asked, called]: [string[], string[]] = [[], []];
let callsOut = false;
let begins: () => void;
let held: Promise<void>;

const plugin: AdmissionPlugin = {
  name: 'Noting',
  callsOut: () => callsOut,
  handles({ operation, resource }: Target) {
    if (resource !== 'configmaps') return false;
    asked.push(operation);
    return true;
  },
  async admit({ operation }) {
    called.push(operation);
    begins();
    await held;
  },
};

beforeEach(async () => {
  api = await testApi({}, 'orch', new MemoryStore(), {}, [plugin]);
  begins = () => undefined;
  held = Promise.resolve();
  callsOut = false;
  await api.create('configmaps', { metadata: { name: 'there' }, data: {} });
  [asked, called] = [[], []];
});
afterEach(() => api.close());

let number = 0;
const change: UpdateFunction = (current) => ({ ...current, data: { number: String(number++) } });
const create = (): ApiObject => ({ metadata: { name: 'new' }, data: {} });
const write = (operation: 'CREATE' | 'UPDATE' | 'DELETE', name: string, make: Modification) =>
  api.deps.pipeline.write(api.request(operation, 'configmaps', name), make);

describe('plugins are selected', () => {
  it.each([
    ['a creation', 'CREATE', 'new', { create }, ['CREATE'], 'CREATE'],
    ['an update', 'UPDATE', 'there', { change }, ['UPDATE'], 'UPDATE'],
    ['an update that may create', 'UPDATE', 'there', { change, create }, ['UPDATE', 'CREATE'], 'UPDATE'],
    ['an update that creates', 'UPDATE', 'new', { change, create }, ['UPDATE', 'CREATE'], 'CREATE'],
    ['a deletion', 'DELETE', 'there', { change: (current: ApiObject) => current }, ['DELETE'], 'DELETE'],
  ] as const)('once for each operation of %s', async (_, operation, name, make, selected, effective) => {
    await write(operation, name, make);
    expect([asked, called]).toEqual([selected, [effective]]);
  });

  it('once though the write is overtaken, and are called for each attempt', async () => {
    callsOut = true;
    api.store.beforeWrite = async (op) => {
      if (called.length > 2) return undefined;
      return { outcome: 'conflict', version: 'version' in op && op.version !== 'previous' ? op.version + 1n : 1n };
    };
    await write('UPDATE', 'there', { change });
    expect([asked, called]).toEqual([['UPDATE'], ['UPDATE', 'UPDATE', 'UPDATE']]);
  });

  it('once for each of the updates that take turns', async () => {
    let release = (): void => undefined;
    held = new Promise((resolve) => {
      release = resolve;
    });
    const begun = new Promise<void>((resolve) => {
      begins = resolve;
    });
    const first = write('UPDATE', 'there', { change });
    await begun;
    const others = [write('UPDATE', 'there', { change }), write('UPDATE', 'there', { change })];
    release();
    await Promise.all([first, ...others]);
    expect([asked, called]).toEqual([Array(3).fill('UPDATE'), Array(3).fill('UPDATE')]);
  });
});

describe('a write calls out', () => {
  const admission = (operation?: string) =>
    new Admission([{ name: 'Calling', callsOut: (target) => target.operation === operation, handles: () => true }]);
  const requested = (rest: Partial<WriteRequest>, make: Modification, operation?: string) =>
    new RequestedWrite({ ...api.request('UPDATE', 'configmaps', 'a'), ...rest }, make, admission(operation)).callsOut;
  const endpoint = () => ({ ...api.endpoint('configmaps'), stage: {} }) as Endpoint;

  it('where a plugin does, for what it may turn out to be as well', () => {
    expect(requested({}, { change }, 'UPDATE')).toBe(true);
    expect(requested({}, { change }, 'CREATE')).toBe(false);
    expect(requested({}, { change, create }, 'CREATE')).toBe(true);
    expect(requested({}, { change, create })).toBe(false);
  });

  it('where objects are converted by a webhook, unless none is answered', () => {
    expect(requested({ endpoint: endpoint() }, { change })).toBe(true);
    expect(requested({ endpoint: endpoint(), hints: {} }, { change })).toBe(true);
    expect(requested({ endpoint: endpoint(), hints: { unanswered: true } }, { change })).toBe(false);
  });
});

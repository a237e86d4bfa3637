import type { Change } from '@orch/storage';
import { expect, it } from 'vitest';
import { inProcessBus } from './in-process-bus.js';

const change = (type: number, version: bigint): Change => {
  const named = { namespace: 'a', name: 'b', uid: 'u', storedVersion: '', defaults: 0, body: Buffer.from('{}') };
  return { ...named, type, version, previous: version - 1n, op: 'create', at: 1 };
};

it('listeners hear of their type until they stop, and a new one after the last has', () => {
  const bus = inProcessBus();
  const heard: string[] = [];
  const listen = (who: string) =>
    bus.subscribe(1, (changes) => heard.push(...changes.map((each) => who + each.version)));
  const stops = [listen('a'), listen('b')];
  bus.publish([change(1, 1n), change(2, 2n)]);
  stops[0]?.();
  bus.publish([change(1, 3n)]);
  stops[1]?.();
  bus.publish([change(1, 4n)]);
  listen('c');
  // One that stops twice takes nobody else with it.
  for (const stop of stops) stop();
  bus.publish([change(1, 5n)]);
  expect(heard).toEqual(['a1', 'b1', 'b3', 'c5']);
});

it('a listener that fails keeps no other from hearing', () => {
  const bus = inProcessBus();
  const heard: bigint[] = [];
  bus.subscribe(1, () => {
    throw new Error('defect');
  });
  bus.subscribe(1, (changes) => heard.push(...changes.map(({ version }) => version)));
  bus.publish([change(1, 1n)]);
  expect(heard).toEqual([1n]);
});

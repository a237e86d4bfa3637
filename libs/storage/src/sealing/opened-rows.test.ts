import { expect, it } from 'vitest';
import type { HistoricChange } from '../face/store.js';
import { TestCipher } from '../testing/test-cipher.js';
import { openedChanges } from './opened-rows.js';

const TYPE = { group: '', resource: 'secrets' };
const key = { namespace: 'a', name: 'o' };

it('a body that one change leaves and the next finds is opened once, and stays one', async () => {
  const cipher = new TestCipher('a');
  const sealed = (text: string) => cipher.seal(TYPE, key, Buffer.from(text)) ?? expect.unreachable();
  let opened = 0;
  const counting = {
    ...{ concerns: cipher.concerns, seal: cipher.seal, isCurrent: cipher.isCurrent },
    open: (...args: Parameters<TestCipher['open']>) => {
      opened++;
      return cipher.open(...args);
    },
  };
  const bodies = ['1', '2', '3'].map(sealed);
  const stored = bodies.map((body, i): HistoricChange => {
    const version = BigInt(i + 2);
    const prior = { prior: bodies[i - 1] ?? sealed('0'), priorVersion: version - 1n };
    const lying = { storedVersion: 'v1', defaults: 0, at: 0 };
    return { type: 1, op: 'update', ...key, uid: 'u', version, previous: version - 1n, ...lying, body, ...prior };
  });
  const { changes } = await openedChanges(counting, TYPE, stored);
  expect(changes.map(({ body, prior }) => [prior?.toString(), body.toString()])).toEqual([
    ['0', '1'],
    ['1', '2'],
    ['2', '3'],
  ]);
  expect(changes[1]?.prior).toBe(changes[0]?.body);
  expect(opened).toBe(4);
});

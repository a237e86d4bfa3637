import { expect, it } from 'vitest';
import { TurnsByKey } from './turns-by-key.js';

it('lets those of one key go one after another, whatever becomes of them, and others beside them', async () => {
  const turns = new TurnsByKey();
  const seen: string[] = [];
  const gates = new Map<string, () => void>();
  const work =
    (name: string, fails = false) =>
    async () => {
      seen.push(`${name} begins`);
      await new Promise<void>((resolve) => gates.set(name, resolve));
      seen.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
  const open = async (name: string) => {
    await expect.poll(() => gates.has(name)).toBe(true);
    gates.get(name)?.();
  };
  const first = turns.take('a', work('1', true));
  const second = turns.take('a', work('2'));
  const beside = turns.take('b', work('3'));
  await open('3');
  expect(await beside).toBe('3');
  expect(seen).not.toContain('2 begins');
  await open('1');
  await expect(first).rejects.toThrow('1');
  await open('2');
  expect(await second).toBe('2');
  expect(seen.indexOf('2 begins')).toBeGreaterThan(seen.indexOf('1 ends'));
});

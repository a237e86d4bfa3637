import { expect, it } from 'vitest';
import { Doubts } from './doubts.js';
import { type Sent, sentWhole } from './sent-object.js';

const sentOf = (name: string): Sent => sentWhole({ apiVersion: 'v1', kind: 'A', metadata: { name, uid: name } });
const [a, b, c] = [sentOf('a'), sentOf('b'), sentOf('c')];

/** Doubts that have gone through so many failures in a row already. */
async function after(failures: number): Promise<Doubts> {
  const doubts = new Doubts();
  for (let i = 0; i < failures; i++) expect(await doubts.arises([a, b, c], async () => true)).toBe(false);
  return doubts;
}

it('does not ask for anything else at first, nor after an answer', async () => {
  const doubts = await after(2);
  doubts.answered([a]);
  expect(await doubts.arises([a], async () => true)).toBe(false);
});

it('asks for what had an answer before, else for the last and the first of what has none', async () => {
  const doubts = await after(2);
  const asked: Sent[] = [];
  const never = async (sample: Sent) => asked.push(sample) < 0;
  expect(await doubts.arises([a, b, c], never)).toBe(false);
  expect(asked).toEqual([c, a]);
  expect(await doubts.arises([a], never)).toBe(false);
  expect(asked).toHaveLength(2);
  expect(await doubts.arises([a, b, c], async (sample) => sample === a)).toBe(true);
  // That one is known now.
  expect(await doubts.arises([c], async (sample) => sample === a)).toBe(true);
});

it('blames an object for its third time, and none that was answered for since', async () => {
  const doubts = await after(0);
  expect([doubts.blames(a), doubts.blames(b), doubts.blames(a), doubts.blames(a)]).toEqual([false, false, false, true]);
  doubts.answered([a]);
  expect([doubts.blames(a), doubts.blames(b), doubts.blames(b)]).toEqual([false, false, true]);
});

it('keeps large objects from being asked for again and again', async () => {
  const doubts = new Doubts();
  const large = sentWhole({ apiVersion: 'v1', kind: 'A', metadata: { name: 'x'.repeat(70_000) } });
  for (let i = 0; i < 2; i++) await doubts.arises([large], async () => true);
  doubts.answered([large]);
  for (let i = 0; i < 2; i++) await doubts.arises([large], async () => true);
  expect(await doubts.arises([a], async () => true)).toBe(false);
});

import { expect, it } from 'vitest';
import { FailureAttribution } from './failure-attribution.js';
import { type Sent, sentWhole } from './sent-object.js';

const sentOf = (name: string): Sent => sentWhole({ apiVersion: 'v1', kind: 'A', metadata: { name, uid: name } });
const [a, b, c] = [sentOf('a'), sentOf('b'), sentOf('c')];

/** Returns an attribution with so many consecutive failures. */
async function after(failures: number): Promise<FailureAttribution> {
  const attribution = new FailureAttribution();
  for (let i = 0; i < failures; i++) expect(await attribution.isByObjects([a, b, c], async () => true)).toBe(false);
  return attribution;
}

it('does not ask for anything else at first, nor after an answer', async () => {
  const attribution = await after(2);
  attribution.answered([a]);
  expect(await attribution.isByObjects([a], async () => true)).toBe(false);
});

it('asks for what had an answer before, else for the last and the first of what has none', async () => {
  const attribution = await after(2);
  const asked: Sent[] = [];
  const never = async (sample: Sent) => asked.push(sample) < 0;
  expect(await attribution.isByObjects([a, b, c], never)).toBe(false);
  expect(asked).toEqual([c, a]);
  expect(await attribution.isByObjects([a], never)).toBe(false);
  expect(asked).toHaveLength(2);
  expect(await attribution.isByObjects([a, b, c], async (sample) => sample === a)).toBe(true);
  // That one is known now.
  expect(await attribution.isByObjects([c], async (sample) => sample === a)).toBe(true);
});

it('blames an object for its third time, and none that was answered for since', async () => {
  const attribution = await after(0);
  expect([
    attribution.isResponsible(a),
    attribution.isResponsible(b),
    attribution.isResponsible(a),
    attribution.isResponsible(a),
  ]).toEqual([false, false, false, true]);
  attribution.answered([a]);
  expect([attribution.isResponsible(a), attribution.isResponsible(b), attribution.isResponsible(b)]).toEqual([
    false,
    false,
    true,
  ]);
});

it('keeps large objects from being asked for again and again', async () => {
  const attribution = new FailureAttribution();
  const large = sentWhole({ apiVersion: 'v1', kind: 'A', metadata: { name: 'x'.repeat(70_000) } });
  for (let i = 0; i < 2; i++) await attribution.isByObjects([large], async () => true);
  attribution.answered([large]);
  for (let i = 0; i < 2; i++) await attribution.isByObjects([large], async () => true);
  expect(await attribution.isByObjects([a], async () => true)).toBe(false);
});

import { describe, expect, it } from 'vitest';
import type { ClaimFinding } from './claim-finding.js';
import { ClaimTeller } from './claim-teller.js';

const findings = (count: number): ClaimFinding[] =>
  Array.from({ length: count }, (_, i) => ({
    range: 'nodePorts',
    kind: 'outside',
    value: String(i),
    owner: { namespace: 'default', name: `s${i}`, uid: `u${i}` },
  }));

/** Events of which each write ends when the test says so. */
function heldEvents() {
  const written: string[] = [];
  const ends: Array<(error?: Error) => void> = [];
  const tell = ({ value }: ClaimFinding) => {
    written.push(value);
    return new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())));
  };
  /** Ends the write under way, and returns when the next one could have begun. */
  const end = async (error?: Error) => {
    ends.shift()?.(error);
    await new Promise(setImmediate);
  };
  return { written, ends, end, tell };
}

function telling() {
  const events = heldEvents();
  const counted: string[] = [];
  const errors: unknown[] = [];
  const teller = new ClaimTeller({
    events,
    count: ({ value }) => counted.push(value),
    logger: { error: (_message, error) => errors.push(error) },
  });
  return { ...events, counted, errors, teller };
}

describe('what is found', () => {
  it('is counted at once, and written one after another, in order', async () => {
    const { teller, counted, written, ends, end } = telling();
    for (const finding of findings(50_000)) teller.tell(finding);
    expect(counted).toHaveLength(50_000);
    for (let n = 1; n <= 5; n++) {
      expect(ends).toHaveLength(1);
      expect(written).toEqual(Array.from({ length: n }, (_, i) => String(i)));
      await end();
    }
  });

  it('is written although the one before could not be, and later when all had been written', async () => {
    const { teller, written, errors, end } = telling();
    const [one, two, three] = findings(3) as [ClaimFinding, ClaimFinding, ClaimFinding];
    teller.tell(one);
    teller.tell(two);
    await end(new Error('the namespace goes'));
    await end();
    teller.tell(three);
    expect(written).toEqual(['0', '1', '2']);
    expect(errors).toEqual([new Error('the namespace goes')]);
    await end();
  });

  it('waits once, however often it comes again before it is written', async () => {
    const { teller, counted, written, end } = telling();
    const [one, two] = findings(2) as [ClaimFinding, ClaimFinding];
    teller.tell(one);
    for (let i = 0; i < 3; i++) teller.tell(two);
    await end();
    await end();
    expect(written).toEqual(['0', '1']);
    expect(counted).toEqual(['0', '1', '1', '1']);
  });

  it('is counted where Events are not served', () => {
    const counted: string[] = [];
    const count = ({ value }: ClaimFinding) => counted.push(value);
    const teller = new ClaimTeller({ events: undefined, count, logger: { error: () => undefined } });
    for (const finding of findings(2)) teller.tell(finding);
    expect(counted).toEqual(['0', '1']);
  });
});

it('ends with the Event that is being written', async () => {
  const { teller, written, end } = telling();
  for (const finding of findings(3)) teller.tell(finding);
  let stopped = false;
  const stop = teller.stop().then(() => {
    stopped = true;
  });
  await new Promise(setImmediate);
  expect(stopped).toBe(false);
  await end();
  await stop;
  expect(written).toEqual(['0']);
});

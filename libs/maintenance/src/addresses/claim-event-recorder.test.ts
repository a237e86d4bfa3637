import { describe, expect, it } from 'vitest';
import { ClaimEventRecorder } from './claim-event-recorder.js';
import type { ClaimFinding } from './claim-finding.js';

const RUN = { goesOn: true };
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
  const create = ({ value }: ClaimFinding) => {
    written.push(value);
    return new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())));
  };
  /** Ends the write under way, and returns when the next one could have begun. */
  const end = async (error?: Error) => {
    ends.shift()?.(error);
    await new Promise(setImmediate);
  };
  return { written, ends, end, create };
}

function telling() {
  const events = heldEvents();
  const counted: string[] = [];
  const errors: unknown[] = [];
  const recorder = new ClaimEventRecorder({
    events,
    count: ({ value }) => counted.push(value),
    logger: { error: (_message, error) => errors.push(error) },
  });
  return { ...events, counted, errors, recorder };
}

describe('what is found', () => {
  it('is counted at once, and written one after another, in order', async () => {
    const { recorder, counted, written, ends, end } = telling();
    for (const finding of findings(50_000)) recorder.record(finding, RUN);
    expect(counted).toHaveLength(50_000);
    for (let n = 1; n <= 5; n++) {
      expect(ends).toHaveLength(1);
      expect(written).toEqual(Array.from({ length: n }, (_, i) => String(i)));
      await end();
    }
  });

  it('is written although the one before could not be, and later when all had been written', async () => {
    const { recorder, written, errors, end } = telling();
    const [one, two, three] = findings(3) as [ClaimFinding, ClaimFinding, ClaimFinding];
    recorder.record(one, RUN);
    recorder.record(two, RUN);
    await end(new Error('the namespace goes'));
    await end();
    recorder.record(three, RUN);
    expect(written).toEqual(['0', '1', '2']);
    expect(errors).toEqual([new Error('the namespace goes')]);
    await end();
  });

  it('waits once, however often it comes again before it is written', async () => {
    const { recorder, counted, written, end } = telling();
    const [one, two] = findings(2) as [ClaimFinding, ClaimFinding];
    recorder.record(one, RUN);
    for (let i = 0; i < 3; i++) recorder.record(two, RUN);
    await end();
    await end();
    expect(written).toEqual(['0', '1']);
    expect(counted).toEqual(['0', '1', '1', '1']);
  });

  it('is counted where Events are not served', () => {
    const counted: string[] = [];
    const count = ({ value }: ClaimFinding) => counted.push(value);
    const recorder = new ClaimEventRecorder({ events: undefined, count, logger: { error: () => undefined } });
    for (const finding of findings(2)) recorder.record(finding, RUN);
    expect(counted).toEqual(['0', '1']);
  });
});

it('ends with the Event that is being written', async () => {
  const { recorder, written, end } = telling();
  for (const finding of findings(3)) recorder.record(finding, RUN);
  let stopped = false;
  const stop = recorder.stop().then(() => {
    stopped = true;
  });
  await new Promise(setImmediate);
  expect(stopped).toBe(false);
  await end();
  await stop;
  expect(written).toEqual(['0']);
});

it('writes nothing any more once the run is over that found it, and is silent about what was refused for that', async () => {
  const { recorder, counted, written, errors, end } = telling();
  const run = { goesOn: true };
  for (const finding of findings(3)) recorder.record(finding, run);
  run.goesOn = false;
  await end(new Error('this process does not lead any more'));
  await recorder.stop();
  expect([written, errors, counted.length]).toEqual([['0'], [], 3]);
  // In another term it goes on.
  const [again] = findings(1) as [ClaimFinding];
  recorder.record(again, RUN);
  expect(written).toEqual(['0', '0']);
  await end();
});

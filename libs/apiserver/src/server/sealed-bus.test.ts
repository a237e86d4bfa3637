import { type AnnouncedChange, inProcessBus } from '@orch/feed';
import { describe, expect, it } from 'vitest';
import { sealedBus } from './sealed-bus.js';

const SEALED = Buffer.from('\0sealed');
const PLAIN = Buffer.from('{"plain":1}');
const CHANGE: AnnouncedChange = {
  ...{ type: 1, version: 2n, previous: 1n, op: 'create', namespace: 'ns', name: 'x', uid: 'u' },
  ...{ storedVersion: 'v1', defaults: 0, body: PLAIN, at: 0 },
};

/** What travels, and what is heard of a change. */
function through(change: AnnouncedChange, leaves: boolean, opens: Buffer | null = PLAIN) {
  const inner = inProcessBus();
  let opened = 0;
  const openNow = ({ body }: { body: Buffer }) => {
    opened++;
    return body[0] === 0 ? (opens ?? undefined) : body;
  };
  const bus = sealedBus(inner, { openNow }, leaves);
  const [travelled, heard]: [AnnouncedChange[], AnnouncedChange[]] = [[], []];
  inner.subscribe(1, (changes) => travelled.push(...changes));
  for (let listener = 0; listener < 3; listener++) bus.subscribe(1, (changes) => heard.push(...changes));
  bus.publish([change]);
  return { travelled, heard, opened };
}

describe('a bus of sealed bodies', () => {
  it('has them leave the process as they were written, and opens them once for all who listen', () => {
    const { travelled, heard, opened } = through({ ...CHANGE, sealed: SEALED }, true);
    expect(travelled).toEqual([{ ...CHANGE, body: SEALED }]);
    expect(heard).toEqual([CHANGE, CHANGE, CHANGE]);
    expect(opened).toBe(1);
  });

  it('leaves out the body of what cannot be opened at once: it is read from the database', () => {
    const { heard } = through({ ...CHANGE, sealed: SEALED }, true, null);
    expect(heard[0]).toEqual({ ...CHANGE, body: Buffer.alloc(0), bodyOmitted: true });
  });

  it('passes on what is not sealed, and what travels without its body', () => {
    expect(through(CHANGE, true).travelled).toEqual([CHANGE]);
    const omitted = { ...CHANGE, body: Buffer.alloc(0), bodyOmitted: true };
    expect(through(omitted, true)).toMatchObject({ heard: [omitted, omitted, omitted], opened: 0 });
  });

  it('within a process passes on what it is, without what was written', () => {
    const { heard, opened } = through({ ...CHANGE, sealed: SEALED }, false);
    expect(heard[0]).toEqual(CHANGE);
    expect(opened).toBe(0);
    // Nobody here has opened it.
    const unopened = through({ ...CHANGE, body: SEALED, sealed: SEALED }, false);
    expect(unopened.heard[0]).toEqual({ ...CHANGE, body: Buffer.alloc(0), bodyOmitted: true });
  });
});

import { describe, expect, it } from 'vitest';
import type { Read, Write, WriteOutcome } from '../model/records.js';
import { historyOf, printAt, writeOf } from './fixtures.js';
import { checkKey, type Sighting } from './linearizable.js';

const history = historyOf(['create', 'a'], ['update', 'a'], ['delete', 'a'], ['create', 'a']);
const committed = (version: number): WriteOutcome => ({ at: 'committed', version, print: printAt(history, version) });
const refused = (reason: string, code = 409): WriteOutcome => ({ at: 'refused', code, reason, message: '' });
const UNKNOWN: WriteOutcome = { at: 'unknown' };

const create = writeOf('a', 0, 10, { call: 'create', stamp: 's10', outcome: committed(10) });
const replace = writeOf('a', 20, 30, { call: 'replace', stamp: 's20', outcome: committed(20) });
const remove = writeOf('a', 40, 50, { call: 'delete', stamp: 'd', outcome: { at: 'deleted', uid: 'uid-10' } });
const again = writeOf('a', 60, 70, { call: 'create', stamp: 's40', outcome: committed(40) });
const WRITES = [create, replace, remove, again];

const read = (start: number, end: number, version?: number): Read => ({
  kind: 'configmaps',
  key: 'n/a',
  start,
  end,
  ...(version !== undefined && { found: { version, print: printAt(history, version) } }),
});

function rules({
  writes = WRITES,
  reads = [],
  sightings = [],
}: {
  writes?: Write[];
  reads?: Read[];
  sightings?: Sighting[];
}) {
  return checkKey(history, 'n/a', writes, reads, sightings).map(({ rule }) => rule);
}
const instead = (write: Write, change: Partial<Write>) =>
  WRITES.map((one) => (one === write ? { ...one, ...change } : one));

describe('V1 writes', () => {
  it('accepts an order that agrees with time, overlaps included', () => {
    expect(rules({})).toEqual([]);
    expect(rules({ writes: instead(replace, { start: 5, end: 45 }) })).toEqual([]);
  });

  it('notices versions in another order than time', () => {
    expect(rules({ writes: instead(create, { start: 31, end: 35 }) })).toContain('V1.linearizable');
  });

  it('takes a write of unknown outcome for done when its change is there, for not done when it is not', () => {
    expect(rules({ writes: instead(replace, { outcome: UNKNOWN }) })).toEqual([]);
    expect(rules({ writes: instead(remove, { outcome: UNKNOWN }) })).toEqual([]);
    expect(rules({ writes: [...WRITES, writeOf('a', 5, 6, { call: 'patch', stamp: 'x', outcome: UNKNOWN })] })).toEqual(
      [],
    );
    // It may come late, but not before it began.
    expect(rules({ writes: instead(replace, { outcome: UNKNOWN, start: 0, end: 1 }) })).toEqual([]);
    expect(rules({ writes: instead(replace, { outcome: UNKNOWN, start: 55, end: 56 }) })).toEqual(['V1.linearizable']);
  });

  it('notices changes that nobody asked for, that were refused, and that happened twice', () => {
    expect(rules({ writes: [create, remove, again] })).toEqual(['V1.unexplained']);
    expect(rules({ writes: [create, replace, again] })).toEqual(['V1.unexplained']);
    expect(rules({ writes: instead(replace, { outcome: refused('Conflict') }) })).toEqual(['V1.unexplained']);
    const twice = historyOf(
      ['create', 'a'],
      ['update', 'a', { stamp: 'x' }],
      ['update', 'a'],
      ['update', 'a', { stamp: 'x' }],
    );
    const writes = ['s10', 'x', 's30'].map((stamp, i) =>
      writeOf('a', i, i, { call: 'patch', stamp, outcome: UNKNOWN }),
    );
    expect(checkKey(twice, 'n/a', writes, [], []).map(({ rule }) => rule)).toEqual(['V1.unexplained']);
  });

  it('notices preconditions that did not hold', () => {
    expect(rules({ writes: instead(replace, { precondition: { version: 10, uid: 'uid-10' } }) })).toEqual([]);
    expect(rules({ writes: instead(replace, { precondition: { version: 9 } }) })).toEqual(['V1.precondition']);
    expect(rules({ writes: instead(replace, { precondition: { uid: 'uid-40' } }) })).toEqual(['V1.precondition']);
  });

  it('takes a patch that changed nothing for a read', () => {
    const idle = (start: number, end: number) =>
      writeOf('a', start, end, { call: 'flag', stamp: 'f', flag: 'new', outcome: committed(20) });
    expect(rules({ writes: [...WRITES, idle(31, 32)] })).toEqual([]);
    expect(rules({ writes: [...WRITES, idle(51, 52)] })).toEqual(['V1.linearizable']);
  });
});

describe('V1 flags', () => {
  const flags = historyOf(['create', 'a'], ['update', 'a', { stamp: 's10', flag: 'on' }]);
  const flag = (start: number, end: number, outcome: WriteOutcome) =>
    writeOf('a', start, end, { call: 'flag', stamp: `f${start}`, flag: 'on', outcome });
  const done: WriteOutcome = { at: 'committed', version: 20, print: printAt(flags, 20) };
  const rulesOf = (...writes: Write[]) => checkKey(flags, 'n/a', [create, ...writes], [], []).map(({ rule }) => rule);

  it('one of several that were answered with a version has made it', () => {
    expect(rulesOf(flag(20, 30, done), flag(25, 40, done))).toEqual([]);
    expect(rulesOf(flag(25, 40, done), flag(20, 30, done))).toEqual([]);
    expect(rulesOf(flag(20, 30, UNKNOWN))).toEqual([]);
    expect(rulesOf()).toEqual(['V1.unexplained']);
  });

  it('one that began when the version was known already did not make it, where another of unknown outcome can have', () => {
    const seen = [{ key: 'n/a', version: 20, at: 30 }];
    const judged = (writes: Write[], sightings: Sighting[], reads: Read[] = []) =>
      checkKey(flags, 'n/a', [create, ...writes], reads, sightings).map(({ rule }) => rule);
    const late = flag(1830, 1840, done);
    expect(judged([flag(20, 25, UNKNOWN), late], seen)).toEqual([]);
    expect(judged([late, flag(20, 25, UNKNOWN)], seen)).toEqual([]);
    // The same known by a read, by another's answer, or by a later version.
    const found = { kind: 'configmaps', key: 'n/a', start: 26, end: 30, found: { version: 20, print: done.print } };
    expect(judged([flag(20, 25, UNKNOWN), late], [], [found])).toEqual([]);
    // Nobody else can have made it: neither one that began later still, nor one that wanted something else.
    expect(judged([late], seen)).toEqual(['V1.linearizable']);
    expect(judged([flag(40, 45, UNKNOWN), late], seen)).toEqual(['V1.linearizable']);
    expect(judged([{ ...flag(20, 25, UNKNOWN), flag: 'off' }, late], seen)).toEqual(['V1.linearizable']);
  });

  it('a violation tells the whole history of its object', () => {
    const [violation] = checkKey(flags, 'n/a', [create], [], []);
    expect(violation?.message).toMatch(
      /its history: 10 create .* by create s10 \[0.0, 10.0\]; 20 update .* by nobody$/,
    );
  });
});

describe('V1 reads', () => {
  it('find what was there within their time', () => {
    expect(
      rules({
        reads: [read(11, 12, 10), read(25, 26, 10), read(25, 27, 20), read(31, 32, 20), read(51, 55), read(71, 72, 40)],
      }),
    ).toEqual([]);
  });

  it('notice what was replaced before they began, or is not written yet', () => {
    expect(rules({ reads: [read(31, 32, 10)] })).toEqual(['V1.linearizable']);
    expect(rules({ reads: [read(15, 16, 20)] })).toEqual(['V1.linearizable']);
    expect(rules({ reads: [{ ...read(31, 32), found: { version: 20, print: 'other' } }] })).toEqual([
      'V1.linearizable',
    ]);
  });

  it('do not go back behind one another', () => {
    expect(rules({ reads: [read(21, 22, 20), read(23, 24, 10)] })).toEqual(['V1.linearizable']);
  });

  it('find nothing only where nothing was', () => {
    expect(rules({ reads: [read(31, 35)] })).toEqual(['V1.refused']);
    expect(rules({ reads: [read(71, 75)] })).toEqual(['V1.refused']);
    // Gone in the eyes of one reader, there in those of a later one.
    expect(rules({ reads: [read(41, 42), read(43, 44, 20)] })).toEqual(['V1.refused']);
  });

  it('do not go back behind what a watcher was sent', () => {
    expect(rules({ reads: [read(24, 25, 10)], sightings: [{ key: 'n/a', version: 20, at: 26 }] })).toEqual([]);
    expect(rules({ reads: [read(24, 25, 10)], sightings: [{ key: 'n/a', version: 20, at: 23 }] })).toEqual([
      'V1.linearizable',
    ]);
    expect(rules({ sightings: [{ key: 'n/a', version: 20, at: 15 }] })).toEqual(['V1.linearizable']);
  });
});

describe('V1 refusals', () => {
  const with1 = (start: number, end: number, write: Pick<Write, 'call' | 'outcome' | 'precondition'>) =>
    rules({ writes: [...WRITES, writeOf('a', start, end, { stamp: 'x', ...write })] });

  it('AlreadyExists and NotFound only where they are true', () => {
    expect(with1(31, 32, { call: 'create', outcome: refused('AlreadyExists') })).toEqual([]);
    expect(with1(51, 52, { call: 'create', outcome: refused('AlreadyExists') })).toEqual(['V1.refused']);
    expect(with1(51, 52, { call: 'patch', outcome: refused('NotFound', 404) })).toEqual([]);
    expect(with1(31, 32, { call: 'patch', outcome: refused('NotFound', 404) })).toEqual(['V1.refused']);
  });

  it('Conflict only when the precondition did not hold', () => {
    expect(with1(31, 32, { call: 'replace', precondition: { version: 10 }, outcome: refused('Conflict') })).toEqual([]);
    expect(with1(31, 32, { call: 'replace', precondition: { version: 20 }, outcome: refused('Conflict') })).toEqual([
      'V1.refused',
    ]);
    expect(with1(71, 72, { call: 'delete', precondition: { uid: 'uid-10' }, outcome: refused('Conflict') })).toEqual(
      [],
    );
    expect(with1(31, 32, { call: 'delete', precondition: { uid: 'uid-10' }, outcome: refused('Conflict') })).toEqual([
      'V1.refused',
    ]);
    expect(with1(51, 52, { call: 'replace', precondition: { uid: 'uid-10' }, outcome: refused('Conflict') })).toEqual(
      [],
    );
    expect(with1(51, 52, { call: 'patch', precondition: { uid: 'uid-10' }, outcome: refused('Conflict') })).toEqual([
      'V1.refused',
    ]);
  });
});

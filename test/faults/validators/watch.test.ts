import { describe, expect, it } from 'vitest';
import { Floors } from '../model/floors.js';
import { type EventType, History } from '../model/history.js';
import { historyOf, type LifeSettings, lifeOf, printAt } from './fixtures.js';
import { checkHistory, checkLateCommits } from './history.js';
import type { Rule } from './violation.js';
import { checkWatch } from './watch.js';

// a enters the tier x at 30 and leaves it at 50; b comes and goes.
const history = historyOf(
  ['create', 'a'],
  ['create', 'b', { tier: 'x' }],
  ['update', 'a', { tier: 'x' }],
  ['delete', 'b'],
  ['update', 'a', { tier: 'y' }],
  ['create', 'b'],
);
const all: Record<number, EventType> = {
  10: 'ADDED',
  20: 'ADDED',
  30: 'MODIFIED',
  40: 'DELETED',
  50: 'MODIFIED',
  60: 'ADDED',
};
const event = (version: number): readonly [EventType, number, string] => [
  all[version] ?? 'ADDED',
  version,
  printAt(history, version),
];
const after = (version: number): LifeSettings => ({ start: { mode: 'list', version } });
const legacy = (known: number): LifeSettings => ({ start: { mode: 'legacy', known } });
const tierX: LifeSettings = { selection: { tier: { op: 'in', values: ['x'] } } };

function rules(entries: Parameters<typeof lifeOf>[0], settings: LifeSettings = {}, floors = new Floors()): Rule[] {
  return checkWatch(lifeOf(entries, settings), history, floors).map(({ rule }) => rule);
}

describe('V2 after a version', () => {
  it('accepts the replay, whole or cut', () => {
    expect(rules([10, 20, 30, 40, 50, 60].map(event))).toEqual([]);
    expect(rules([30, 40, 50, 60].map(event), after(20))).toEqual([]);
    expect(rules([event(30)], { ...after(20), lasted: false })).toEqual([]);
  });

  it('notices an event that is missing in the middle or at the end', () => {
    expect(rules([event(30), event(50), event(60)], after(20))).toEqual(['V2.missing']);
    expect(rules([30, 40, 50].map(event), after(20))).toEqual(['V2.missing']);
  });

  it('notices repeats and reordering', () => {
    expect(rules([30, 30, 40, 50, 60].map(event), after(20))).toEqual(['V2.order']);
    expect(rules([40, 30, 50, 60].map(event), { ...after(20) })).toEqual(['V2.missing']);
    expect(rules([20, 30, 40, 50, 60].map(event), after(20))).toEqual(['V2.order']);
  });

  it('notices what was never committed', () => {
    expect(rules([event(30), ['ADDED', 35, 'n/z u s f  '], ...[40, 50, 60].map(event)], after(20))).toEqual([
      'V2.phantom',
    ]);
    expect(rules([...[50, 60].map(event), ['ADDED', 70, 'n/z u s f  ']], after(40))).toEqual(['V2.phantom']);
  });

  it('notices wrong contents', () => {
    expect(rules([['MODIFIED', 50, printAt(history, 30)], event(60)], after(40))).toEqual(['V2.content']);
    expect(rules([['ADDED', 50, printAt(history, 50)], event(60)], after(40))).toEqual(['V2.content']);
  });
});

describe('V2 at the borders of a selection', () => {
  const enters = ['ADDED', 30, printAt(history, 30)] as const;
  const leaves = ['DELETED', 50, printAt(history, 30)] as const;

  it('an object that enters is added; one that leaves is deleted, and shown as it was inside', () => {
    expect(rules([event(20), enters, event(40), leaves], tierX)).toEqual([]);
  });

  it('notices a transition that is not one, the state behind the border, and events of others', () => {
    expect(rules([event(20), event(30), event(40), leaves], tierX)).toEqual(['V2.content']);
    expect(rules([event(20), enters, event(40), ['DELETED', 50, printAt(history, 50)]], tierX)).toEqual(['V2.content']);
    expect(rules([event(10), event(20), enters, event(40), leaves], tierX)).toEqual(['V2.phantom']);
    expect(rules([event(20), enters, event(40)], tierX)).toEqual(['V2.missing']);
  });
});

describe('V2 bookmarks', () => {
  it('claim what was sent before', () => {
    expect(rules([event(30), 30, 35, event(40), 45, 45, event(50), event(60), 99], after(20))).toEqual([]);
  });

  it('must not claim more, go back, or be followed by what they claimed', () => {
    expect(rules([40, event(30), event(40), event(50), event(60)], after(20))).toEqual(['V2.bookmark']);
    expect(rules([event(30), event(40), 30, event(50), event(60)], after(20))).toEqual(['V2.bookmark']);
    expect(rules([event(60), 65, event(60)], after(50))).toEqual(['V2.bookmark']);
  });
});

describe('V2 initial events', () => {
  const at30 = [event(20), ['ADDED', 30, printAt(history, 30)] as const] as const;

  it('with a mark at their end are the state at its version', () => {
    const stream = (known: number): LifeSettings => ({ start: { mode: 'stream', known }, initialEnd: 2 });
    const rest = [40, 50, 60].map(event);
    expect(rules([...at30, 30, ...rest], stream(30))).toEqual([]);
    expect(rules([...at30, 35, ...rest], stream(30))).toEqual([]);
    expect(rules([...at30, 30, ...rest], stream(40))).toEqual(['V2.initial']);
    expect(rules([...at30, 40, event(50), event(60)], stream(30))).toEqual(['V2.initial']);
    expect(rules([event(20), 30, ...rest], { start: { mode: 'stream', known: 0 }, initialEnd: 1 })).toEqual([
      'V2.initial',
    ]);
    expect(rules([...at30], { start: { mode: 'stream', known: 0 } })).toEqual(['V2.missing']);
    expect(rules([...at30], { start: { mode: 'stream', known: 0 }, lasted: false })).toEqual([]);
  });

  it('without a mark are the state of some version that is new enough', () => {
    const rest = [40, 50, 60].map(event);
    expect(rules([...at30, ...rest], legacy(0))).toEqual([]);
    expect(rules([...at30, ...rest], legacy(35))).toEqual([]);
    expect(rules([...at30, ...rest], legacy(40))).toEqual(['V2.initial']);
    expect(rules([...at30, event(50), event(60)], legacy(0))).toEqual(['V2.missing']);
    expect(rules([at30[0], event(10)], { ...legacy(0), lasted: false })).toEqual([]);
    expect(rules([at30[0], ['ADDED', 20, 'n/b other s f  ']], { ...legacy(0), lasted: false })).toEqual(['V2.initial']);
  });
});

describe('V2 refusals', () => {
  const refused = (code: number, version: number | undefined, outside = 0, ended = false): LifeSettings => ({
    ...after(60),
    refusals: [{ code, message: '', after: version, ended, outside, at: 1_000 }],
  });
  const kept = Number.POSITIVE_INFINITY;
  const at20 = Floors.of(kept, { at: 900, floor: 5 }, { at: 1_100, floor: 20 }, { at: 1_300, floor: 50 });

  it('410 is right only below the floor; other refusals never are; failures may pass', () => {
    expect(rules([], refused(410, 10), at20)).toEqual([]);
    expect(rules([], refused(410, 20), at20)).toEqual(['V2.resumable']);
    expect(rules([], refused(410, undefined), at20)).toEqual(['V2.resumable']);
    expect(rules([], refused(400, 30), at20)).toEqual(['V2.refused']);
    expect(rules([], refused(503, 30), at20)).toEqual([]);
  });

  it('410 is judged by the floor of its time, not by that of the end', () => {
    expect(rules([], refused(410, 30), at20)).toEqual(['V2.resumable']);
    expect(rules([], refused(410, 30), Floors.of(kept, { at: 900, floor: 50 }))).toEqual([]);
  });

  it('410 ends a stream that is behind by more than servers promise, though history is kept', () => {
    const floors = Floors.of(
      500,
      { at: 400, floor: 5, head: 10 },
      { at: 500, floor: 5, head: 30 },
      { at: 900, floor: 5, head: 60 },
    );
    expect(rules([], refused(410, 20, 0, true), floors)).toEqual([]);
    expect(rules([], refused(410, 20, 0, false), floors)).toEqual(['V2.resumable']);
    expect(rules([], refused(410, 30, 0, true), floors)).toEqual(['V2.resumable']);
    expect(rules([], refused(410, undefined, 0, true), floors)).toEqual(['V2.resumable']);
  });

  it('failures that do not pass are none', () => {
    for (const code of [429, 500, 503, 504]) {
      expect(rules([], refused(code, 30, 59_000), at20)).toEqual([]);
      expect(rules([], refused(code, 30, 61_000), at20)).toEqual(['V2.refused']);
    }
  });
});

describe('V2 the history itself', () => {
  const rulesOf = (changes: History['changes']) =>
    checkHistory(new History('configmaps', changes)).map(({ rule }) => rule);

  it('is one chain, each change on the state before it', () => {
    expect(checkHistory(history)).toEqual([]);
  });

  it('notices gaps, foreign predecessors, and changes of what is not there', () => {
    expect(rulesOf(history.changes.filter(({ version }) => version !== 40))).toContain('V2.history');
    expect(
      rulesOf(history.changes.map((change) => (change.version === 50 ? { ...change, previous: 30 } : change))),
    ).toEqual(['V2.history']);
    expect(
      rulesOf(history.changes.map((change) => (change.version === 50 ? { ...change, priorVersion: 10 } : change))),
    ).toEqual(['V2.history']);
    expect(rulesOf(historyOf(['create', 'a'], ['create', 'a']).changes)).toEqual(['V2.history']);
    expect(rulesOf(historyOf(['delete', 'a']).changes)).toEqual(['V2.history']);
  });

  it('reports every late commit', () => {
    expect(checkLateCommits([])).toEqual([]);
    expect(checkLateCommits([{ kind: 'events', version: 9, read: 10 }]).map(({ rule }) => rule)).toEqual([
      'V2.late-commit',
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import { delayOf, type Lag } from '../definitions/control-series.js';
import type { Stream } from '../definitions/kind-watcher.js';
import type { Observation } from '../definitions/prober.js';
import { absent, type DefinitionState } from '../definitions/timeline.js';
import { historyOf, type Step } from './fixtures.js';
import { checkServed, checkStored, checkStreams } from './served.js';

const NAME = 'widgets.example.com';

/** A definition that is made at 10 s, established at 10.5 s, changed at 20 s and deleted at 35 s; versions are seconds. */
const none = { ...absent(0, Number.NEGATIVE_INFINITY, 10_000) };
const there = (from: number, until: number, seen: string, isEstablished = true): DefinitionState => ({
  version: from / 1000,
  from,
  until,
  uid: 'u',
  isEstablished,
  isTerminating: false,
  number: Number(seen),
  served: seen,
  facet: ({ of }) => (of === 'discovery' && !isEstablished ? 'absent' : seen),
});
const states = [
  none,
  there(10_000, 10_500, '1', false),
  there(10_500, 20_000, '1'),
  there(20_000, 35_000, '2'),
  absent(35, 35_000, Number.POSITIVE_INFINITY),
];
const timelines = new Map([[NAME, states]]);

type Of = Observation['facet']['of'];
const look = (start: number, seen: string, of: Of = 'objects', server = 's'): Observation => {
  const facet = { of, version: 'v1', scope: 'Namespaced' } as const;
  return { server, definition: NAME, facet, start, end: start + 10, seen };
};
const rules = (...observations: Observation[]) =>
  checkServed(observations, timelines).violations.map(({ rule, message }) => `${rule}: ${message}`);

describe('what servers serve', () => {
  test('may be behind by a second, each by another part of it', () => {
    const first = [look(9_000, 'absent'), look(10_400, 'absent'), look(10_900, '1'), look(20_900, '1')];
    const other = [
      look(10_100, '1', 'objects', 't'),
      look(20_100, '2', 'objects', 't'),
      look(35_900, '2', 'objects', 't'),
    ];
    expect(rules(...first, ...other)).toEqual([]);
    expect(checkServed(first, timelines).latest).toBe(900);
    expect(rules(look(11_400, 'absent', 'discovery'))).toEqual([]);
  });

  test('is not what was gone for longer', () => {
    expect(rules(look(21_500, '1'))).toEqual([expect.stringMatching(/^R.latency: s, objects .* 1500 ms too late/)]);
    expect(rules(look(36_500, '2', 'discovery'))).toEqual([expect.stringMatching(/^R.latency/)]);
  });

  test('may come as late as an ordinary change made it come at that time, at that server', () => {
    const found = (lag: Partial<Lag>) => {
      const delay = delayOf([{ server: 's', start: 21_000, end: 21_200, ms: 200, ...lag }]);
      return checkServed([look(21_500, '1')], timelines, delay).violations.length;
    };
    expect(found({})).toBe(0);
    expect(found({ ms: 150 })).toBe(1);
    expect(found({ server: 't' })).toBe(1);
    expect(found({ start: 19_000, end: 19_900 })).toBe(1);
    expect(found({ start: 21_600, end: 21_700 })).toBe(1);
  });

  test('is late if one look of a thousand finds it so', () => {
    const good = Array.from({ length: 1_000 }, () => look(21_000, '2', 'objects', 't'));
    expect(rules(...good, look(21_500, '1'))).toHaveLength(1);
  });

  test('is not what comes only later, or never', () => {
    expect(rules(look(15_000, '2'))).toEqual([expect.stringMatching(/^R.served: .* no definition has said/)]);
    expect(rules(look(15_000, '3'))).toEqual([expect.stringMatching(/^R.served/)]);
  });

  test('does not go back', () => {
    expect(rules(look(20_100, '2'), look(20_200, '1'))).toEqual([expect.stringMatching(/had served what came later/)]);
    expect(rules(look(20_100, '2'), look(20_200, '1', 'objects', 't'))).toEqual([]);
  });

  test('is at once what is established', () => {
    const early = [expect.stringMatching(/^R.served: .* established 100 ms before/)];
    expect(rules(look(10_600, 'absent'))).toEqual(early);
    expect(rules(look(10_400, 'absent'))).toEqual([]);
    expect(rules(look(10_600, 'absent', 'discovery'))).toEqual([]);
  });
});

describe('watches', () => {
  const stream = (opened: number, ended: number | undefined, isWhole = true): Stream => {
    return { watcher: 'w', definition: NAME, server: 's', opened, ended, isWhole };
  };
  const found = (one: Stream, steady: readonly string[] = []) =>
    checkStreams([one], timelines, new Set(steady)).violations.map(({ rule }) => rule);

  test('end with what they are of, whole and within a second', () => {
    expect(found(stream(12_000, 20_500))).toEqual([]);
    expect(found(stream(12_000, 20_500, false))).toEqual(['R.stream']);
    expect(found(stream(12_000, 21_500))).toEqual(['R.latency']);
    expect(found(stream(12_000, undefined))).toEqual(['R.served']);
    expect(found(stream(25_000, 36_500))).toEqual(['R.latency']);
  });

  test('go on where nothing of theirs is changed', () => {
    expect(found(stream(10_600, 19_000))).toEqual([]);
    expect(found(stream(12_000, undefined), [NAME])).toEqual([]);
    expect(found(stream(12_000, 20_500), [NAME])).toEqual(['R.stream']);
  });
});

describe('objects', () => {
  const stored = (...steps: readonly Step[]) =>
    checkStored(historyOf(...steps), [], states).map(({ rule, message }) => `${rule}: ${message}`);

  test('are stored while there is a definition, and go with it', () => {
    expect(stored(['create', 'a'], ['update', 'a'], ['delete', 'a'])).toEqual([]);
    expect(stored(['create', 'a'], ['update', 'a'])).toEqual([
      'R.left: configmaps: 1 objects were left when the definition was deleted at 35',
    ]);
    const late = stored(['create', 'a'], ['delete', 'a'], ['create', 'b'], ['create', 'c']);
    expect(late).toEqual([
      expect.stringMatching(/create 40 while there was no definition/),
      expect.stringMatching(/1 objects/),
    ]);
  });

  test('are made by what the definition says', () => {
    const made = (at: number, number: number | undefined) =>
      checkStored(historyOf(), [{ version: 1, at, number }], states).map(({ rule }) => rule);
    expect(made(12_000, 1)).toEqual([]);
    expect(made(20_500, 1)).toEqual([]);
    expect(made(21_500, 1)).toEqual(['R.latency']);
    expect(made(12_000, 7)).toEqual(['R.served']);
  });
});

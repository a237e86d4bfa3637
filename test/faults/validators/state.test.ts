import { describe, expect, it } from 'vitest';
import type { List, WriteOutcome } from '../model/records.js';
import { checkDurable, checkFinalState } from './durable.js';
import { historyOf, lifeOf, printAt, writeOf } from './fixtures.js';
import { checkList, checkRebuilt } from './list-watch.js';
import { checkMonotonic } from './monotonic.js';

const history = historyOf(['create', 'a'], ['create', 'b', { tier: 'x' }], ['update', 'a'], ['delete', 'b']);
const item = (version: number) => ({ version, print: printAt(history, version) });

describe('V3', () => {
  const durable = (call: 'patch' | 'delete', outcome: WriteOutcome) =>
    checkDurable(history, [writeOf('a', 0, 1, { call, stamp: 's', outcome })]).map(({ rule }) => rule);

  it('finds every acknowledged write as it was acknowledged', () => {
    expect(durable('patch', { at: 'committed', ...item(30) })).toEqual([]);
    expect(durable('delete', { at: 'deleted', uid: 'uid-20' })).toEqual([]);
    expect(durable('patch', { at: 'unknown' })).toEqual([]);
  });

  it('notices one that is lost or another than was said', () => {
    expect(durable('patch', { at: 'committed', version: 31, print: '' })).toEqual(['V3.lost']);
    expect(durable('patch', { at: 'committed', version: 30, print: printAt(history, 10) })).toEqual(['V3.lost']);
    expect(durable('delete', { at: 'deleted', uid: 'uid-10' })).toEqual(['V3.lost']);
  });

  it('the objects in the end are where the history leads', () => {
    const rules = (...objects: ReturnType<typeof item>[]) => checkFinalState(history, objects).map(({ rule }) => rule);
    expect(rules(item(30))).toEqual([]);
    expect(rules()).toEqual(['V3.state']);
    expect(rules(item(10))).toEqual(['V3.state']);
    expect(rules(item(30), item(20))).toEqual(['V3.state']);
  });
});

const listOf = (change: Partial<List>): List => ({
  kind: 'configmaps',
  client: 'c',
  server: 's',
  selection: {},
  start: 0,
  end: 1,
  asked: 'recent',
  known: 0,
  version: 20,
  items: [item(10), item(20)],
  ...change,
});

describe('V4', () => {
  const rules = (change: Partial<List>) => checkList(listOf(change), history).map(({ rule }) => rule);

  it('a list is the state of its version', () => {
    expect(rules({})).toEqual([]);
    expect(rules({ version: 25 })).toEqual([]);
    expect(rules({ selection: { tier: { op: 'in', values: ['x'] } }, items: [item(20)] })).toEqual([]);
    expect(rules({ version: 30 })).toEqual(['V4.list']);
    expect(rules({ items: [item(10)] })).toEqual(['V4.list']);
    expect(rules({ items: [item(10), item(20), item(30)] })).toEqual(['V4.list']);
  });

  it('a list is as fresh as it was asked to be', () => {
    expect(rules({ known: 20 })).toEqual([]);
    expect(rules({ known: 30 })).toEqual(['V4.list']);
    expect(rules({ known: 30, asked: 'any' })).toEqual([]);
    expect(rules({ known: 30, asked: { notOlderThan: 20 } })).toEqual([]);
    expect(rules({ asked: { notOlderThan: 21 } })).toEqual(['V4.list']);
  });

  it('a list and the events after it rebuild the final list', () => {
    const life = lifeOf([['MODIFIED', 30, printAt(history, 30)], 35, ['DELETED', 40, printAt(history, 20)]]);
    const rulesOf = (...args: Parameters<typeof checkRebuilt>) => checkRebuilt(...args).map(({ rule }) => rule);
    expect(rulesOf(life, [item(10), item(20)], [item(30)])).toEqual([]);
    expect(rulesOf(life, [item(10), item(20)], [item(10)])).toEqual(['V4.final']);
    expect(rulesOf(lifeOf([]), [item(10), item(20)], [item(30)])).toEqual(['V4.final']);
    expect(rulesOf(lifeOf([['ADDED', 30, printAt(history, 30)]]), [], [item(30)])).toEqual([]);
  });
});

describe('V6', () => {
  const rules = (...lists: Partial<List>[]) => checkMonotonic(lists.map(listOf)).map(({ rule }) => rule);

  it('versions of a client that wants nothing older never go back, whoever answers', () => {
    expect(rules({ server: 'x' }, { server: 'y' }, { server: 'x', version: 30, items: [item(30), item(20)] })).toEqual(
      [],
    );
    expect(rules({ version: 30, items: [] }, { version: 20, items: [] })).toEqual(['V6.back']);
    expect(rules({ version: 30, items: [item(30)] }, { version: 31, items: [item(10)] })).toEqual(['V6.back']);
  });

  it('answers to "anything" are in order at each server for itself', () => {
    const any = { asked: 'any', items: [] } as const;
    expect(
      rules(
        { ...any, server: 'x', version: 30 },
        { ...any, server: 'y', version: 20 },
        { ...any, server: 'x', version: 30 },
      ),
    ).toEqual([]);
    expect(rules({ ...any, version: 30 }, { ...any, version: 20 })).toEqual(['V6.back']);
  });
});

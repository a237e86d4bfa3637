import { describe, expect, it } from 'vitest';
import { type Connection, ReadingTurns } from './reading-turns.js';

/** Connections by name, rounds of an event loop one by one, and a clock that is looked at by hand. */
function world(perRound: number) {
  let rounds: (() => void)[] = [];
  let look: (() => void) | undefined;
  const turns = new ReadingTurns({
    perRound,
    nextRound: (then) => void rounds.push(then),
    after(_ms, then) {
      look = then;
      return () => {
        look = undefined;
      };
    },
  });
  const paused = new Set<string>();
  const wentOn: string[] = [];
  const made = new Map<string, Connection>();
  const connection = (name: string): Connection => {
    const known = made.get(name) ?? {
      pause: () => void paused.add(name),
      resume() {
        paused.delete(name);
        wentOn.push(name);
      },
    };
    made.set(name, known);
    return known;
  };
  return {
    turns,
    paused,
    wentOn,
    isLookedAfter: () => look !== undefined,
    answer(flow: string, ...names: string[]) {
      for (const name of names) turns.answered(connection(name), flow);
    },
    leave: (name: string) => turns.leave(connection(name)),
    /** @returns who went on in it */
    round(): readonly string[] {
      const now = rounds;
      rounds = [];
      for (const then of now) then();
      return wentOn.splice(0);
    },
    look(): readonly string[] {
      const then = look;
      look = undefined;
      then?.();
      return wentOn.splice(0);
    },
  };
}

const numbered = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}`);

describe('who is read from', () => {
  it('is everybody where few are answered in a round, however often', () => {
    const { turns, answer, round, paused } = world(3);
    for (let time = 0; time < 10; time++) {
      answer('a', 'a0', 'a1', 'a2');
      answer('b', 'b0', 'b1', 'b2');
      expect(round()).toEqual([]);
    }
    expect([turns.waiting, paused.size]).toEqual([0, 0]);
  });

  it('is a few of many in each round, in their order, and nobody of a flow that asks little has to wait', () => {
    const { turns, answer, leave, round, paused } = world(3);
    answer('noisy', ...numbered('n', 10));
    answer('polite', 'p0');
    expect(round()).toEqual(['n0', 'n1', 'n2']);
    expect(paused).toEqual(new Set(numbered('n', 10).slice(3)));
    expect(turns.waiting).toBe(7);
    leave('n0');
    leave('n1');
    expect(round()).toEqual(['n3', 'n4']);
    // It stands behind the others then, as others of its flow wait still.
    leave('n2');
    answer('noisy', 'n0');
    answer('polite', 'p0', 'p1');
    expect(round()).toEqual(['n5']);
    expect([paused.has('n0'), paused.has('p0')]).toEqual([true, false]);
  });

  it('takes flows by turns', () => {
    const { answer, leave, round } = world(2);
    answer('a', 'a0', 'a1', 'a2', 'a3');
    answer('b', 'b0', 'b1', 'b2');
    const order = [...round()];
    for (let at = 0; at < order.length; at++) {
      leave(order[at] as string);
      order.push(...round());
    }
    expect(order).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2', 'a3']);
  });

  it('goes on to the next where the ones before say nothing, until nobody waits and nobody looks', () => {
    const { turns, answer, round, look, isLookedAfter } = world(2);
    answer('a', 'a0', 'a1', 'a2', 'a3', 'a4');
    expect(round()).toEqual(['a0', 'a1']);
    expect(round()).toEqual([]);
    expect(look()).toEqual(['a2', 'a3']);
    expect(look()).toEqual(['a4']);
    expect([turns.waiting, isLookedAfter()]).toEqual([0, false]);
  });

  it('forgets a connection that has ended, whether it waits, was let go on or was just answered', () => {
    const { turns, answer, leave, round } = world(2);
    answer('a', 'a0', 'a1', 'a2', 'a3', 'a4');
    leave('a1');
    expect(round()).toEqual(['a0', 'a2']);
    leave('a3');
    leave('a0');
    expect(round()).toEqual(['a4']);
    expect(turns.waiting).toBe(0);
  });

  it('holds so many at most, whoever they are of', () => {
    const { turns, answer, round } = world(2);
    answer('a', ...numbered('a', 5_000));
    round();
    expect(turns.waiting).toBe(1_022);
  });

  it('is everybody again when it has stopped', () => {
    const { turns, answer, round, paused, wentOn, isLookedAfter } = world(2);
    answer('a', ...numbered('a', 9));
    round();
    turns.stop();
    wentOn.length = 0;
    expect([paused.size, turns.waiting, isLookedAfter()]).toEqual([0, 0, false]);
    answer('a', ...numbered('a', 9));
    expect(round()).toEqual([]);
    expect(paused.size).toBe(0);
  });
});

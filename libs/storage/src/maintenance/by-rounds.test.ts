import { describe, expect, it } from 'vitest';
import { ByRounds } from './by-rounds.js';

function rig() {
  const next: (() => void)[] = [];
  const rounds = new ByRounds((then) => void next.push(then));
  const round = () => {
    for (const then of next.splice(0)) then();
  };
  return { rounds, round, asked: () => next.length };
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('calls by rounds', () => {
  it('are made in their order, eight in a round, whatever comes meanwhile', () => {
    const { rounds, round, asked } = rig();
    const made: number[] = [];
    for (const i of upTo(20)) rounds.call(() => made.push(i));
    expect(made).toHaveLength(8);
    round();
    rounds.call(() => made.push(20));
    expect(made).toHaveLength(16);
    round();
    expect(made).toEqual(upTo(21));
    round();
    expect(asked()).toBe(0);
    rounds.call(() => made.push(21));
    expect(made.at(-1)).toBe(21);
  });

  it('are eight in a round together with those that have waited for it', () => {
    const { rounds, round } = rig();
    let made = 0;
    for (let i = 0; i < 13; i++) rounds.call(() => made++);
    round();
    expect(made).toBe(13);
    for (let i = 0; i < 13; i++) rounds.call(() => made++);
    expect(made).toBe(16);
  });

  it('are a quarter of those that wait where these are many', () => {
    const { rounds, round } = rig();
    let made = 0;
    for (let i = 0; i < 408; i++) rounds.call(() => made++);
    const counts = [made];
    for (let i = 0; i < 3; i++) {
      const before = made;
      round();
      counts.push(made - before);
    }
    expect(counts).toEqual([8, 100, 75, 57]);
  });

  it('keep their order where one of them asks for another, and are all made where one throws', () => {
    const { rounds, round } = rig();
    const made: string[] = [];
    for (const i of upTo(8)) rounds.call(() => made.push(`${i}`));
    rounds.call(() => {
      rounds.call(() => made.push('last'));
    });
    rounds.call(() => {
      throw new Error('must not');
    });
    rounds.call(() => made.push('behind'));
    expect(round).toThrow('must not');
    round();
    round();
    expect(made.slice(8)).toEqual(['behind', 'last']);
  });

  it('are drained when the last one has been made', async () => {
    const rounds = new ByRounds();
    await rounds.drained();
    let made = 0;
    for (let i = 0; i < 17; i++) rounds.call(() => made++);
    expect(made).toBe(8);
    await rounds.drained();
    expect(made).toBe(17);
  });
});

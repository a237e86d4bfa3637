import { describe, expect, it } from 'vitest';
import { ByRounds } from './by-rounds.js';

describe('calls by rounds', () => {
  it('are made in their order, eight in a round, whatever comes meanwhile', () => {
    const next: (() => void)[] = [];
    const rounds = new ByRounds((then) => void next.push(then));
    const round = () => {
      for (const then of next.splice(0)) then();
    };
    const made: number[] = [];
    for (let i = 0; i < 20; i++) rounds.call(() => made.push(i));
    expect(made).toHaveLength(8);
    round();
    rounds.call(() => made.push(20));
    expect(made).toHaveLength(16);
    round();
    expect(made).toEqual(Array.from({ length: 21 }, (_, i) => i));
    round();
    expect(next).toHaveLength(0);
    rounds.call(() => made.push(21));
    expect(made.at(-1)).toBe(21);
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

import { describe, expect, it } from 'vitest';
import type { DatabaseConnection } from '../connections/connection.js';
import { int4Array } from '../writes/arrays.js';
import { Lineage } from './lineage.js';

const TYPE = 1;
const NOTHING = int4Array([]);

/** What a database says of its history. */
interface Said {
  epoch: number;
  /** `type ended began`, … */
  branches: string;
  resumed: number;
}

/** A connection to such a database, which misses all that it is told of. Comparisons are answered when it is let. */
class FakeDatabase {
  readonly #answers: (() => void)[] = [];
  epochs = 0;

  constructor(
    readonly said: Said,
    private readonly held = false,
  ) {}

  get asked(): number {
    return this.#answers.length;
  }

  /** Answers the comparison that has waited longest, or so many others before it. */
  answer(place = 0): void {
    this.#answers.splice(place, 1)[0]?.();
  }

  readonly connection = {
    query: async (text: string, values: readonly unknown[] = []) => {
      if (text.includes('begin_epoch')) this.#beginEpoch(Number(values[0]));
      if (!text.includes('FROM installation i')) return [[null]];
      if (this.held) await new Promise<void>((resolve) => this.#answers.push(resolve));
      const { epoch, branches, resumed } = this.said;
      const told = (values[0] as Buffer).length > NOTHING.length;
      return [[String(epoch), null, null, told ? '1' : '0', branches, '0', String(resumed)]];
    },
  } as unknown as DatabaseConnection;

  #beginEpoch(epoch: number): void {
    if (epoch !== this.said.epoch) return;
    this.said.epoch++;
    this.epochs++;
  }
}

describe('a history that went back', () => {
  it('begins one epoch, however many connections notice at a time', async () => {
    const database = new FakeDatabase({ epoch: 1, branches: '', resumed: 0 }, true);
    const lineage = new Lineage(1n);
    const first = lineage.inspect(database.connection);
    await expect.poll(() => database.asked).toBe(1);
    database.answer();
    await first;
    lineage.observe(TYPE, 20n);
    const [one, other] = [lineage.inspect(database.connection), lineage.inspect(database.connection)];
    await expect.poll(() => database.asked).toBe(2);
    database.answer(); // one begins an epoch, and looks again;
    await expect.poll(() => database.asked).toBe(2);
    database.answer(1); // it adopts that epoch, and forgets what was before;
    await one;
    // The other one still asks with what was known before.
    let ended = false;
    void other.then(() => {
      ended = true;
    });
    const carryOn = () => {
      database.answer();
      return ended;
    };
    await expect.poll(carryOn).toBe(true);
    expect(database.epochs).toBe(1);
    expect(lineage.epoch).toBe(2n);
  });
});

describe('what was lost', () => {
  it('stays lost to a process that has been told, whatever the database forgets', async () => {
    const database = new FakeDatabase({ epoch: 1, branches: '1 10 20', resumed: 1 });
    const lineage = new Lineage(1n);
    await lineage.inspect(database.connection);
    expect(lineage.isLost(TYPE, 15n)).toBe(true);
    Object.assign(database.said, { branches: '1 50 60', resumed: 2 });
    await lineage.inspect(database.connection);
    expect([10n, 15n, 20n, 30n, 55n].map((version) => lineage.isLost(TYPE, version))).toEqual([
      false,
      true,
      false,
      false,
      true,
    ]);
  });
});

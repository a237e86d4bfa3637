import { describe, expect, it } from 'vitest';
import type { Connection } from './connection.js';
import { Lineage } from './lineage.js';

const TYPE = 1;

/** What a database says of its history. */
interface Said {
  epoch: number;
  /** Highest version of the type. */
  head: bigint;
  /** `type ended began`, … */
  branches: string;
  resumed: number;
}

/** A connection to such a database. What it is asked to compare it answers when it is told to. */
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

  answer(): void {
    this.#answers.shift()?.();
  }

  readonly connection = {
    query: async (text: string, values: readonly unknown[] = []) => {
      if (text.includes('begin_epoch')) this.#beginEpoch(Number(values[0]));
      if (!text.includes('FROM installation i')) return [[null]];
      if (this.held) await new Promise<void>((resolve) => this.#answers.push(resolve));
      const { epoch, head, branches, resumed } = this.said;
      const behind = String(values[1]).includes('\\x') || this.announcedAbove(head) ? '1' : '0';
      return [[String(epoch), null, null, behind, branches, '0', String(resumed)]];
    },
  } as unknown as Connection;

  announcedAbove = (_head: bigint): boolean => false;

  #beginEpoch(epoch: number): void {
    if (epoch !== this.said.epoch) return;
    this.said.epoch++;
    this.epochs++;
  }
}

describe('a history that went back', () => {
  it('begins one epoch, however many connections notice at a time', async () => {
    const database = new FakeDatabase({ epoch: 1, head: 10n, branches: '', resumed: 0 }, true);
    const lineage = new Lineage(1n);
    const first = lineage.inspect(database.connection);
    await expect.poll(() => database.asked).toBe(1);
    database.answer();
    await first;
    lineage.observe(TYPE, 20n);
    // What was announced stays above the heads of the new epoch, as a version from nowhere does.
    database.announcedAbove = (head) => head < 20n;
    const [one, other] = [lineage.inspect(database.connection), lineage.inspect(database.connection)];
    await expect.poll(() => database.asked).toBe(2);
    database.answer(); // the first one begins an epoch,
    await expect.poll(() => database.asked).toBe(2);
    expect(database.epochs).toBe(1);
    [database.announcedAbove, database.said.head] = [() => true, 10n];
    database.answer(); // and the second, which had asked with what was known before, finds it begun.
    await other;
    database.announcedAbove = () => false;
    database.answer();
    await one;
    expect(database.epochs).toBe(1);
    expect(lineage.epoch).toBe(2n);
  });
});

describe('what was lost', () => {
  it('stays lost to a process that has been told, whatever the database forgets', async () => {
    const database = new FakeDatabase({ epoch: 1, head: 100n, branches: '1 10 20', resumed: 1 });
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

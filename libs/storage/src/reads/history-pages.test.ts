import { expect, it } from 'vitest';
import type { DatabaseConnection } from '../connections/connection.js';
import { ConnectionLostError, NoAnswerError } from '../connections/failures.js';
import { Pool } from '../connections/pool.js';
import { UNDIVIDED } from '../face/body-codec.js';
import { HistoryExpiredError } from '../face/errors.js';
import { completeOptions } from '../face/options.js';
import type { PriorDetail } from '../face/store.js';
import type { Lineage } from '../maintenance/lineage.js';
import type { ReadTuple } from './copy-stream.js';
import { HistoryPages } from './history-pages.js';
import type { TextRow } from './text-row.js';

const MOST = 4096;

/** Pages of a database that can read so many bytes in time, and the bounds that it was asked for. */
function pagesOf(
  canRead: () => number,
  failure: () => Error = () => new NoAnswerError(),
  heading: TextRow[] = [['9', '1']],
  copied: readonly Buffer[] = [],
) {
  const [asked, texts]: [number[], string[]] = [[], []];
  const options = completeOptions({ url: '', naming: 'orch', bodies: UNDIVIDED, historyPageBytes: MOST });
  const connection = {
    broken: false,
    onBreak: () => undefined,
    end: async () => undefined,
    copyAll: async <T>(text: string, read: ReadTuple<T>) => {
      const bytes = Number(/through <= (\d+)/.exec(text)?.[1]);
      asked.push(bytes);
      texts.push(text);
      if (bytes > canRead()) throw failure();
      return { heading, rows: copied.map((row) => read(row, 0)) };
    },
  } as unknown as DatabaseConnection;
  const lineage = { isLost: (_type: number, version: bigint) => version === 5n } as unknown as Lineage;
  return {
    asked,
    texts,
    pages: new HistoryPages(new Pool(async () => connection, { ...options, size: 1 }), lineage, options),
  };
}

const after = (pages: HistoryPages, type: number, version: bigint, prior: PriorDetail = 'body') =>
  pages.after(type, version, { changes: 10, prior });

it('a page that took too long is asked for with less, and those of the type that follow grow again', async () => {
  let canRead = 100;
  const { asked, pages } = pagesOf(() => canRead);
  await after(pages, 1, 1n);
  expect(asked.splice(0)).toEqual([4096, 512, 64]);
  canRead = MOST;
  for (let i = 0; i < 7; i++) await after(pages, 1, 1n);
  expect(asked.splice(0)).toEqual([128, 256, 512, 1024, 2048, 4096, 4096]);
  await after(pages, 2, 1n);
  expect(asked).toEqual([4096]);
});

it('a change that cannot be read in time on its own fails, and is tried first the next time', async () => {
  let canRead = 0;
  const { asked, pages } = pagesOf(() => canRead);
  await expect(after(pages, 1, 1n)).rejects.toThrow('did not answer in time');
  expect(asked.splice(0)).toEqual([4096, 512, 64, 8, 1]);
  await expect(after(pages, 1, 1n)).rejects.toThrow('did not answer in time');
  expect(asked.splice(0)).toEqual([1]);
  canRead = MOST;
  await after(pages, 1, 1n);
  await after(pages, 1, 1n);
  expect(asked).toEqual([1, 2]);
});

it('what fails for another reason is not tried again', async () => {
  const { asked, pages } = pagesOf(
    () => 0,
    () => new ConnectionLostError('gone'),
  );
  await expect(after(pages, 1, 1n)).rejects.toThrow('lost');
  expect(asked).toEqual([4096]);
});

it('history that is below the floor, or lost, has expired', async () => {
  const { pages } = pagesOf(() => MOST, undefined, [['9', '3']]);
  await expect(after(pages, 1, 2n)).rejects.toMatchObject({ requested: 2n, floor: 3n, head: 9n });
  await expect(after(pages, 1, 5n)).rejects.toBeInstanceOf(HistoryExpiredError);
  expect(await after(pages, 1, 3n)).toEqual([]);
});

it('a type that is not registered is an error', async () => {
  const { pages } = pagesOf(() => MOST, undefined, []);
  await expect(after(pages, 1, 2n)).rejects.toThrow('not registered');
});

/** A change as a COPY has it, without the state before it. */
function copiedChange(version: bigint, body: string, priorVersion: bigint | undefined): Buffer {
  const column = (bytes: Buffer | undefined): Buffer => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(bytes?.length ?? -1);
    return bytes ? Buffer.concat([length, bytes]) : length;
  };
  const int8 = (value: bigint): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64BE(value);
    return bytes;
  };
  const texts = ['ns', 'o', 'u', 'v1', body].map((text) => column(Buffer.from(text)));
  const before = [column(undefined), column(priorVersion === undefined ? undefined : int8(priorVersion))];
  const head = [column(int8(version)), column(int8(version - 1n)), column(Buffer.from([0, 3]))];
  const last = [column(Buffer.from('v0')), column(undefined), column(undefined)];
  const defaults = [column(Buffer.from([0, 2])), column(Buffer.from([0, 1]))];
  return Buffer.concat([Buffer.alloc(2), ...head, ...texts, column(int8(5n)), ...before, ...last, ...defaults]);
}

it('a state that is not sent twice is that of the change before', async () => {
  const { pages } = pagesOf(() => MOST, undefined, undefined, [
    copiedChange(2n, 'a', undefined),
    copiedChange(3n, 'b', 2n),
  ]);
  const [first, second] = await after(pages, 1, 1n);
  expect([first?.prior, first?.body.toString(), second?.body.toString()]).toEqual([undefined, 'a', 'b']);
  expect(second?.prior).toBe(first?.body);
  expect(second).toMatchObject({ priorVersion: 2n, priorStoredVersion: 'v0', priorDefaults: 1, defaults: 2 });
});

it('a body before a change that nobody looks at is neither sent nor looked for, nor counted', async () => {
  const { pages, texts } = pagesOf(() => MOST, undefined, undefined, [copiedChange(3n, 'b', 2n)]);
  const [change] = await after(pages, 1, 1n, 'version');
  expect(change).toMatchObject({ priorVersion: 2n, priorStoredVersion: 'v0', priorDefaults: 1 });
  expect(change).not.toHaveProperty('prior');
  expect(texts[0]).not.toMatch(/CASE|[ (]prior\b|prior_owners/);
});

it('history that lacks the change that has left a state cannot be followed', async () => {
  const { pages } = pagesOf(() => MOST, undefined, undefined, [copiedChange(3n, 'b', 2n)]);
  await expect(after(pages, 1, 1n)).rejects.toBeInstanceOf(HistoryExpiredError);
});

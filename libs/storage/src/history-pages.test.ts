import { expect, it } from 'vitest';
import { UNDIVIDED } from './body-codec.js';
import type { Connection, TextRow } from './connection.js';
import type { ReadTuple } from './copy-stream.js';
import { ConnectionLostError, NoAnswerError } from './failures.js';
import { HistoryPages } from './history-pages.js';
import type { Lineage } from './lineage.js';
import { completeOptions } from './options.js';
import { Pool } from './pool.js';
import { HistoryExpiredError } from './store.js';

const MOST = 4096;

/** Pages of a database that can read so many bytes in time, and the bounds that it was asked for. */
function pagesOf(
  canRead: () => number,
  failure: () => Error = () => new NoAnswerError(),
  heading: TextRow[] = [['9', '1']],
  copied: readonly Buffer[] = [],
) {
  const asked: number[] = [];
  const options = completeOptions({ url: '', naming: 'orch', bodies: UNDIVIDED, historyPageBytes: MOST });
  const connection = {
    broken: false,
    onBreak: () => undefined,
    end: async () => undefined,
    copyAll: async <T>(text: string, read: ReadTuple<T>) => {
      const bytes = Number(/through <= (\d+)/.exec(text)?.[1]);
      asked.push(bytes);
      if (bytes > canRead()) throw failure();
      return { heading, rows: copied.map((row) => read(row, 0)) };
    },
  } as unknown as Connection;
  const lineage = { isLost: (_type: number, version: bigint) => version === 5n } as unknown as Lineage;
  return {
    asked,
    pages: new HistoryPages(new Pool(async () => connection, { ...options, size: 1 }), lineage, options),
  };
}

it('a page that took too long is asked for with less, and those of the type that follow grow again', async () => {
  let canRead = 100;
  const { asked, pages } = pagesOf(() => canRead);
  await pages.after(1, 1n, 10);
  expect(asked.splice(0)).toEqual([4096, 512, 64]);
  canRead = MOST;
  for (let i = 0; i < 7; i++) await pages.after(1, 1n, 10);
  expect(asked.splice(0)).toEqual([128, 256, 512, 1024, 2048, 4096, 4096]);
  await pages.after(2, 1n, 10);
  expect(asked).toEqual([4096]);
});

it('a change that cannot be read in time on its own fails, and is tried first the next time', async () => {
  let canRead = 0;
  const { asked, pages } = pagesOf(() => canRead);
  await expect(pages.after(1, 1n, 10)).rejects.toThrow('did not answer in time');
  expect(asked.splice(0)).toEqual([4096, 512, 64, 8, 1]);
  await expect(pages.after(1, 1n, 10)).rejects.toThrow('did not answer in time');
  expect(asked.splice(0)).toEqual([1]);
  canRead = MOST;
  await pages.after(1, 1n, 10);
  await pages.after(1, 1n, 10);
  expect(asked).toEqual([1, 2]);
});

it('what fails for another reason is not tried again', async () => {
  const { asked, pages } = pagesOf(
    () => 0,
    () => new ConnectionLostError('gone'),
  );
  await expect(pages.after(1, 1n, 10)).rejects.toThrow('lost');
  expect(asked).toEqual([4096]);
});

it('history that is below the floor, or lost, has expired', async () => {
  const { pages } = pagesOf(() => MOST, undefined, [['9', '3']]);
  await expect(pages.after(1, 2n, 10)).rejects.toMatchObject({ requested: 2n, floor: 3n, head: 9n });
  await expect(pages.after(1, 5n, 10)).rejects.toBeInstanceOf(HistoryExpiredError);
  expect(await pages.after(1, 3n, 10)).toEqual([]);
});

it('a type that is not registered is an error', async () => {
  const { pages } = pagesOf(() => MOST, undefined, []);
  await expect(pages.after(1, 2n, 10)).rejects.toThrow('not registered');
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
  const [first, second] = await pages.after(1, 1n, 10);
  expect([first?.prior, first?.body.toString(), second?.body.toString()]).toEqual([undefined, 'a', 'b']);
  expect(second?.prior).toBe(first?.body);
  expect(second).toMatchObject({ priorVersion: 2n, priorStoredVersion: 'v0', priorDefaults: 1, defaults: 2 });
});

it('history that lacks the change that has left a state cannot be followed', async () => {
  const { pages } = pagesOf(() => MOST, undefined, undefined, [copiedChange(3n, 'b', 2n)]);
  await expect(pages.after(1, 1n, 10)).rejects.toBeInstanceOf(HistoryExpiredError);
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { endianness, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sendQueues, unansweredConnections } from './tcp-table.js';

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode                                                     ';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tcp-table-'));
});
afterAll(() => rm(dir, { recursive: true }));

function pathsOf(tables: readonly string[][]): Promise<string[]> {
  return Promise.all(
    tables.map(async (lines, number) => {
      const path = join(dir, `table-${number}`);
      await writeFile(path, [HEAD, ...lines, ''].join('\n'));
      return path;
    }),
  );
}

async function read(...tables: string[][]) {
  const paths = await pathsOf(tables);
  const found = [];
  for await (const connection of unansweredConnections(paths)) found.push(connection);
  return found;
}

const line = (ends: string, timer: string, again: string, probes = 0) =>
  `  12: ${ends} 01 00000400:00000000 ${timer}:00000A4B ${again}     0        ${probes} 1066 1 00000000c4142a88 100 0 0 10 0`;

// Addresses are words of the machine.
it.runIf(endianness() === 'LE')('finds what is sent again, and who is asked for room, over IPv4 and IPv6', async () => {
  const four = '0100007F:192B 020AD50A:D584';
  const six = 'B80D0120000000000000000001000000:192B 0000000000000000FFFF00000100007F:51E2';
  expect(await read([line(four, '01', '0000000A')], [line(six, '04', '00000000', 12)])).toEqual([
    { name: '127.0.0.1 6443 10.213.10.2 54660', attempts: 10 },
    { name: '2001:db8::1 6443 ::ffff:127.0.0.1 20962', attempts: 12 },
  ]);
});

it('passes over what is answered, idle, or about to be sent again for the first time', async () => {
  const ends = '0100007F:192B 0200007F:D584';
  const lines = [line(ends, '00', '00000000'), line(ends, '02', '00000000', 3), line(ends, '01', '00000000')];
  expect(await read([...lines, line(ends, '04', '00000003', 0), 'something else'])).toEqual([]);
});

it('finds nothing where there are no tables', async () => {
  const found = [];
  for await (const connection of unansweredConnections([join(dir, 'absent')])) found.push(connection);
  expect(found).toEqual([]);
});

it.runIf(endianness() === 'LE')('tells what each connection has to send', async () => {
  const four = line('0100007F:192B 020AD50A:D584', '01', '0000000A');
  const six = line('B80D0120000000000000000001000000:192B 0000000000000000FFFF00000100007F:51E2', '00', '00000000');
  const found = [];
  for await (const queue of sendQueues(await pathsOf([[four], [six, 'something else']]))) found.push(queue);
  expect(found).toEqual([
    { name: '127.0.0.1 6443 10.213.10.2 54660', bytes: 1024 },
    { name: '2001:db8::1 6443 ::ffff:127.0.0.1 20962', bytes: 1024 },
  ]);
});

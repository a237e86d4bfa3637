import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { ChunkReader, Connection, requestBytes } from './connection.js';
import { table } from './report.js';
import { latencyOf } from './summary.js';

test('a chunked body is read right however it is cut', () => {
  const body = Buffer.from('5\r\nhello\r\n1a\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n');
  for (let size = 1; size <= body.length; size++) {
    const pieces: Buffer[] = [];
    const reader = new ChunkReader((data) => pieces.push(data));
    let ended = false;
    for (let at = 0; at < body.length; at += size) ended ||= reader.push(body.subarray(at, at + size));
    expect(Buffer.concat(pieces).toString()).toBe('helloabcdefghijklmnopqrstuvwxyz');
    expect(ended).toBe(true);
  }
});

test('a connection is used again after answers with and without a length', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/length') return response.end('x'.repeat(100_000));
    response.write('abc');
    response.end('def');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not a TCP address');
  const endpoint = { host: '127.0.0.1', port: address.port };
  const connection = await Connection.open(endpoint);
  for (let round = 0; round < 3; round++) {
    expect(await connection.request(requestBytes(endpoint, 'GET', '/length'))).toMatchObject({
      status: 200,
      bytes: 100_000,
    });
    const chunked = await connection.request(requestBytes(endpoint, 'GET', '/chunks'), true);
    expect(chunked.body.toString()).toBe('abcdef');
  }
  connection.close();
  server.close();
});

test('percentiles are nearest ranks', () => {
  expect(latencyOf([5, 1, 4, 2, 3])).toEqual({ p50: 3, p99: 5 });
  expect(latencyOf(Array.from({ length: 1000 }, (_, index) => index + 1))).toEqual({ p50: 500, p99: 990 });
  expect(latencyOf([]).p50).toBeNaN();
});

test('the table sets values of the same name side by side, with ratios to the reference', () => {
  const measured = (value: number) => [{ name: 'writes', unit: '1/s', value }];
  const lines = table(
    new Map([
      ['ours', measured(300)],
      ['theirs', measured(100)],
    ]),
    [['ours', 'theirs']],
  ).split('\n');
  expect(lines[0]).toMatch(/ours\s+theirs\s+ours : theirs$/);
  expect(lines[1]).toMatch(/^writes \[1\/s\]\s+300\s+100\s+3\.00×$/);
});

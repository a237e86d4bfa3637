import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { StatusError } from '@orch/machinery';
import { openServer, type TestServer } from '@orch/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { readBody } from './read-body.js';

const LIMIT = 1000;
const MINUTE = 60_000;
let server: TestServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** A server that answers with what reading the body came to. */
async function reading(before: (req: IncomingMessage) => unknown = () => undefined, bodyTimeoutMs = MINUTE) {
  const outcomes: (number | string)[] = [];
  const limits = { maxBodyBytes: LIMIT, bodyTimeoutMs };
  server = await openServer(async (req, res) => {
    await before(req);
    try {
      outcomes.push((await readBody({ req, res, holdBody: () => undefined }, limits)).length);
      res.end();
    } catch (error) {
      outcomes.push(error instanceof StatusError ? `${error.code} ${error.status.reason}` : String(error));
      res.writeHead(error instanceof StatusError ? error.code : 500, { Connection: 'close' }).end();
    }
  });
  return { server, outcomes };
}

describe('readBody', () => {
  it.each([0, 1, LIMIT])('reads %i bytes', async (length) => {
    const { server, outcomes } = await reading();
    await server.ask('/', { method: 'POST', body: 'x'.repeat(length) });
    expect(outcomes).toEqual([length]);
  });

  it('refuses a length above the limit without reading', async () => {
    const { server, outcomes } = await reading();
    const { status } = await server.ask('/', { method: 'POST', body: 'x'.repeat(LIMIT + 1) });
    expect([status, outcomes]).toEqual([413, ['413 RequestEntityTooLarge']]);
  });

  it('refuses chunks above the limit as they come', async () => {
    const { server, outcomes } = await reading();
    const client = connect(server.port, '127.0.0.1');
    client.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    // The body never ends.
    client.write(`${(2 * LIMIT).toString(16)}\r\n${'x'.repeat(2 * LIMIT)}\r\n`);
    const [answer] = (await once(client, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 413 /);
    expect(outcomes).toEqual(['413 RequestEntityTooLarge']);
    client.destroy();
  });

  it('refuses what dribbles in, however lively, once its time is over', async () => {
    const { server, outcomes } = await reading(undefined, 200);
    const client = connect(server.port, '127.0.0.1');
    client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n');
    const dribble = setInterval(() => client.write('x'), 20);
    const [answer] = (await once(client, 'data')) as [Buffer];
    clearInterval(dribble);
    expect(answer.toString()).toMatch(/^HTTP\/1.1 408 /);
    expect(outcomes).toEqual(['408 undefined']);
    client.destroy();
  });

  it.each(['gzip', 'deflate, gzip', 'br', 'identity', ''])(
    'takes it as it comes, whatever the encoding %j says',
    async (encoding) => {
      const { server, outcomes } = await reading();
      await server.ask('/', { method: 'POST', body: 'x', headers: { 'Content-Encoding': encoding } });
      expect(outcomes).toEqual([1]);
    },
  );

  it.each([
    ['while it is read', false],
    ['before anybody reads', true],
  ])('ends when the client cuts the body %s', async (_when, late) => {
    const { server, outcomes } = await reading(async (req) => {
      if (late) await new Promise((resolve) => req.socket.once('close', () => setImmediate(resolve)));
    });
    const client = connect(server.port, '127.0.0.1');
    await once(client, 'connect');
    client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf', () => client.destroy());
    await expect.poll(() => outcomes).toEqual(['400 BadRequest']);
  });
});

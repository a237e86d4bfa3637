import { once } from 'node:events';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { type Status, StatusError, tooManyRequests } from '@orch/machinery';
import { type Answer, type Ask, contextOf, openServer, type TestServer } from '@orch/testing';
import { afterEach, describe, expect, it } from 'vitest';
import type { RequestContext } from './context.js';
import { sendBytes, sendError, sendPieces } from './respond.js';

const JSON_STATUS = {
  status: (_accept: string | undefined, status: Status) => ({
    contentType: 'application/json',
    body: Buffer.from(JSON.stringify(status)),
  }),
};

let server: TestServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Serves every request by one handler. */
async function serve(handler: (ctx: RequestContext) => unknown): Promise<TestServer> {
  server = await openServer((req, res) => {
    void handler(contextOf(req, res));
  });
  return server;
}

async function answerOf(handler: (ctx: RequestContext) => unknown, options?: Ask): Promise<Answer> {
  return (await serve(handler)).ask('/', options);
}

const LARGE = Buffer.alloc(256 * 1024, 'compressible ');

describe('compression (spec: "Response compression")', () => {
  it.each([
    ['gzip', true],
    ['deflate, gzip;q=1.0, *;q=0.5', true],
    ['GZIP', true],
    ['gzip;q=0', false],
    ['gzip; q=0.0', false],
    ['gzip;Q=0.000, deflate', false],
    ['gzip;q=0.001', true],
    ['deflate, br', false],
    ['', false],
  ])('Accept-Encoding %j', async (accept, compressed) => {
    const { headers, body } = await answerOf((ctx) => sendBytes(ctx, 200, 'text/plain', LARGE, true), {
      headers: { 'Accept-Encoding': accept },
    });
    expect(headers['content-encoding']).toBe(compressed ? 'gzip' : undefined);
    expect(Number(headers['content-length'])).toBe(body.length);
    expect(compressed ? gunzipSync(body) : body).toEqual(LARGE);
  });

  it('leaves small answers and answers to writes as they are', async () => {
    const headers = { 'Accept-Encoding': 'gzip' };
    const small = await answerOf((ctx) => sendBytes(ctx, 200, 'text/plain', Buffer.from('x'), true), { headers });
    expect(small.headers['content-encoding']).toBeUndefined();
    await server?.close();
    const write = await answerOf((ctx) => sendBytes(ctx, 201, 'text/plain', LARGE), { headers });
    expect(write.headers['content-encoding']).toBeUndefined();
  });
});

it('a body whose pieces are made while it is written lets others have turns', async () => {
  let [turns, over] = [0, false];
  const count = (): void => {
    turns++;
    if (!over) setImmediate(count);
  };
  const seen = new Set<number>();
  const laborious = {
    size: 20_000,
    bytes() {
      seen.add(turns);
      for (const end = performance.now() + 5; performance.now() < end; );
      return Buffer.from('x');
    },
    deflated: () => expect.unreachable(),
  };
  async function* pieces() {
    for (let i = 0; i < 20; i++) yield laborious;
  }
  setImmediate(count);
  const { body } = await answerOf((ctx) => sendPieces(ctx, 'text/plain', pieces(), false));
  over = true;
  expect(body.toString()).toBe('x'.repeat(20));
  expect(seen.size).toBeGreaterThan(3);
});

describe('warnings', () => {
  const warned = (warnings: readonly string[]) =>
    answerOf((ctx) => {
      ctx.warnings.push(...warnings);
      return sendBytes(ctx, 200, 'text/plain', Buffer.alloc(0));
    });

  it('are quoted, and cannot make headers of their own', async () => {
    const { headers } = await warned(['a "quoted" \\ text', 'x\r\nSet-Cookie: stolen=1', 'é\u0000']);
    expect(headers.warning).toBe('299 - "a \\"quoted\\" \\\\ text", 299 - "x??Set-Cookie: stolen=1", 299 - "??"');
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('are said once each', async () => {
    expect((await warned(['same', 'same'])).headers.warning).toBe('299 - "same"');
  });

  it('stay within what clients take as headers, however many there are', async () => {
    const { headers, status } = await warned(Array.from({ length: 20_000 }, (_, i) => `unknown field "spec.f${i}"`));
    expect(status).toBe(200);
    expect(headers.warning?.length).toBeLessThan(8 * 1024);
    expect(headers.warning).toContain('spec.f0');
  });

  it('are cut when one alone is too long', async () => {
    const { headers, status } = await warned(['x'.repeat(1 << 20)]);
    expect(status).toBe(200);
    expect(headers.warning?.length).toBeLessThan(8 * 1024);
  });
});

describe('errors', () => {
  it('say when to come again, and how to prove who one is', async () => {
    const busy = await answerOf((ctx) => sendError(ctx, tooManyRequests('later', 7), JSON_STATUS));
    expect([busy.status, busy.headers['retry-after']]).toEqual([429, '7']);
    expect(busy.headers['audit-id']).toBe('r-1');
    await server?.close();
    const unknown = await answerOf((ctx) => sendError(ctx, new StatusError('Unauthorized', 'who?'), JSON_STATUS));
    expect([unknown.status, unknown.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  });

  it('cut an answer that has begun', async () => {
    const { status, complete } = await answerOf((ctx) => {
      ctx.res.writeHead(200);
      ctx.res.write('half', () => sendError(ctx, new StatusError('InternalError', 'x'), JSON_STATUS));
    });
    expect([status, complete]).toEqual([200, false]);
  });
});

/** Pieces that note when their source is let go. */
function source(count: number, size: number, failAt = Number.POSITIVE_INFINITY) {
  const state = { made: 0, ended: false };
  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      for (; state.made < count; ) {
        if (state.made === failAt) throw new StatusError('InternalError', 'broken');
        state.made++;
        yield Buffer.alloc(size, 97 + (state.made % 26));
      }
    } finally {
      state.ended = true;
    }
  }
  return { state, pieces: pieces() };
}

describe('bodies in pieces', () => {
  it.each([
    [0, 'identity'],
    [1, 'identity'],
    [2, 'identity'],
    [7, 'identity'],
    [7, 'gzip'],
  ])('%i pieces, %s', async (count, encoding) => {
    const { pieces, state } = source(count, 100_000);
    const { body, headers, complete } = await answerOf((ctx) => sendPieces(ctx, 'text/plain', pieces, true), {
      headers: { 'Accept-Encoding': encoding },
    });
    const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    expect([plain.length, complete, state.ended]).toEqual([count * 100_000, true, true]);
    expect(headers['content-encoding'] === 'gzip').toBe(count > 1 && encoding === 'gzip');
  });

  it('rest their seat while the client reads, and once all is written', async () => {
    const { pieces } = source(7, 100_000);
    const steps: string[] = [];
    const seat = {
      rest: () => void steps.push('rest'),
      async workOn() {
        steps.push('work on');
      },
    };
    let ended = false;
    await answerOf(async (ctx) => {
      await sendPieces(Object.assign(ctx, { seat }), 'text/plain', pieces, false);
      ended = ctx.res.writableEnded;
    });
    expect(steps.at(-1)).toBe('rest');
    expect(steps.length).toBeGreaterThan(1);
    expect(steps.every((step, at) => step === (at % 2 === 0 ? 'rest' : 'work on'))).toBe(true);
    expect(ended).toBe(true);
  });

  it.each([0, 1])('that fail before the second piece are the caller’s to answer (piece %i)', async (failAt) => {
    const { pieces } = source(3, 10, failAt);
    const { status } = await answerOf((ctx) =>
      sendPieces(ctx, 'text/plain', pieces, false).catch((error: StatusError) => sendError(ctx, error, JSON_STATUS)),
    );
    expect(status).toBe(500);
  });

  it.each(['identity', 'gzip'])('that fail later are cut, never ended as if whole (%s)', async (encoding) => {
    const { pieces } = source(5, 300_000, 3);
    const { complete } = await answerOf((ctx) => sendPieces(ctx, 'text/plain', pieces, true), {
      headers: { 'Accept-Encoding': encoding },
    });
    expect(complete).toBe(false);
  });

  it('let their source go when the request has been answered otherwise meanwhile', async () => {
    const { pieces, state } = source(5, 10);
    const { status } = await answerOf(async (ctx) => {
      sendError(ctx, new StatusError('Timeout', 'late'), JSON_STATUS);
      await sendPieces(ctx, 'text/plain', pieces, false);
    });
    expect(status).toBe(504);
    await expect.poll(() => state.ended).toBe(true);
  });

  it.each(['identity', 'gzip'])('let their source go when the client does (%s)', async (encoding) => {
    const { pieces, state } = source(100_000, 64 * 1024);
    const { port } = await serve((ctx) => sendPieces(ctx, 'text/plain', pieces, true));
    const client = connect(port, '127.0.0.1');
    client.write(`GET / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${encoding}\r\n\r\n`);
    await once(client, 'data');
    client.destroy();
    await expect.poll(() => state.ended).toBe(true);
    expect(state.made).toBeLessThan(10_000);
  });

  it('wait for slow clients without gathering listeners', async () => {
    const warnings: string[] = [];
    const note = (warning: Error) => warnings.push(warning.name);
    process.on('warning', note);
    let most = 0;
    const { pieces } = source(60, 1 << 20);
    const { body } = await answerOf((ctx) => {
      ctx.res.on('drain', () => {
        most = Math.max(most, ctx.res.listenerCount('close'));
      });
      return sendPieces(ctx, 'text/plain', pieces, false);
    });
    process.off('warning', note);
    expect(body.length).toBe(60 << 20);
    expect(warnings).toEqual([]);
    expect(most).toBeLessThan(5);
  });
});

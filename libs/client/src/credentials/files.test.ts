import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { certificateBelow } from '@orch/authentication/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { Client } from '../client.js';
import type { Connection } from '../connection.js';
import { CredentialsError } from '../errors.js';
import { answer, event, refuse, ScriptedServer, stream, thing } from '../testing/scripted-server.js';

const things = { group: '', version: 'v1', resource: 'things', namespace: 'ns' };
const clients: Client[] = [];
let server: ScriptedServer;
let dir: string;
let now: number;

beforeAll(async () => {
  server = await ScriptedServer.start();
});
afterAll(() => server.stop());
beforeEach(async () => {
  now = 0;
  dir = await mkdtemp(join(tmpdir(), 'credentials-'));
  server.requests.length = 0;
  server.script = (_request, response) => answer(response, 200, {});
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await rm(dir, { recursive: true });
});

function connect(connection: Partial<Connection>): Client {
  const client = new Client({ ...server.connection, ...connection }, { now: () => now, qps: -1 });
  clients.push(client);
  return client;
}

const get = (client: Client) => client.raw('GET', '/');
const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('it is refused'),
    (error: unknown) => error as Error,
  );

describe('a token file', () => {
  const tokens = () => server.requests.map(({ headers }) => headers.authorization?.replace('Bearer ', ''));
  const write = (token: string) => writeFile(join(dir, 'token'), token);

  test('is read again every minute; what cannot be read changes nothing', async () => {
    await write('t1\n');
    const client = connect({ tokenFile: join(dir, 'token') });
    await get(client);
    await write('t2');
    now += 49_999;
    await get(client);
    now += 1;
    await get(client);
    await write(' ');
    now += 60_000;
    await get(client);
    await rm(join(dir, 'token'));
    await get(client);
    expect(tokens()).toEqual(['t1', 't1', 't2', 't2', 't2']);
  });

  test('is read again when the server takes the token no longer', async () => {
    await write('t1');
    const client = connect({ tokenFile: join(dir, 'token') });
    await get(client);
    server.script = (request, response) => {
      if (request.headers.authorization === 'Bearer t2') answer(response, 200, {});
      else refuse(401, 'Unauthorized')(request, response);
    };
    expect(await failure(get(client))).toMatchObject({ code: 401 });
    await write('t2');
    await get(client);
    expect(tokens(), 'the same token is not sent twice').toEqual(['t1', 't1', 't1', 't2']);
  });

  test('comes before the token beside it, once it is there', async () => {
    const client = connect({ token: 'beside', tokenFile: join(dir, 'token') });
    await get(client);
    await write('t1');
    await get(client);
    expect(tokens()).toEqual(['beside', 't1']);
  });

  test('that never held one is an error', async () => {
    const client = connect({ tokenFile: join(dir, 'token') });
    expect(await failure(get(client))).toBeInstanceOf(CredentialsError);
    await write('');
    expect((await failure(get(client))).message).toMatch(/token file .*token: it is empty/);
    expect(server.requests).toEqual([]);
  });
});

describe('certificate files', () => {
  const names = () => server.requests.map(({ client }) => client);
  const files = () => ({ certFile: join(dir, 'cert'), keyFile: join(dir, 'key') });
  const write = async (name: string, parts: readonly ('cert' | 'key')[] = ['cert', 'key']) => {
    const pair = await certificateBelow(server.pki.ca, name);
    for (const part of parts) await writeFile(join(dir, part), pair[part]);
  };

  test('are read again when they change; half a change is none', async () => {
    await write('one');
    const client = connect(files());
    await get(client);
    await write('half', ['cert']);
    now += 1000;
    await get(client);
    await rm(join(dir, 'key'));
    now += 1000;
    await get(client);
    await write('two');
    await get(client);
    expect(names()).toEqual(['one', 'one', 'one', 'two']);
  });

  test('cut watches when they change, though nothing else is asked for', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      await write('one');
      const client = connect(files());
      server.script = stream([event('ADDED', thing('a', '1'))], 'open');
      const watch = client.openWatch(things);
      await watch.next();
      await write('two');
      now += 300_000;
      vi.advanceTimersByTime(300_000);
      expect((await failure(watch.next())).message).toMatch(/certificate has changed/);
    } finally {
      vi.useRealTimers();
    }
  });

  test('that never held a pair are an error that quotes nothing', async () => {
    await write('one', ['cert']);
    await write('two', ['key']);
    const client = connect(files());
    expect((await failure(get(client))).message).toMatch(
      /cert: the client key does not belong to the client certificate/,
    );
    await writeFile(join(dir, 'key'), 'geheim');
    const error = await failure(get(client));
    expect(error.message).toMatch(/not a private key in PEM/);
    expect(inspect(error)).not.toContain('geheim');
  });
});

test('user and password; never together with a token', async () => {
  await get(connect({ basic: { username: 'jürgen', password: 'a:b' } }));
  expect(server.requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from('jürgen:a:b').toString('base64')}`);
  const basic = { username: 'u', password: 'p' };
  for (const other of [{ token: 't' }, { tokenFile: 't' }]) {
    expect(() => connect({ basic, ...other })).toThrow(/may be set, but not both/);
  }
});

test('whom a request impersonates', async () => {
  const impersonate = {
    user: 'jürgen',
    uid: '7',
    groups: ['a', 'b'],
    extra: { 'example.com/scopes': ['x', 'y'], 'ü%': ['z'], none: [] },
  };
  const client = connect({ token: 't1', impersonate });
  await get(client);
  await client.raw('GET', '/', { headers: { 'impersonate-user': 'other' } });
  const sent = server.requests.map(({ raw }) =>
    raw.flatMap((text, at) =>
      /^impersonate/i.test(text) && at % 2 === 0 ? [`${text}: ${Buffer.from(raw[at + 1] ?? '', 'latin1')}`] : [],
    ),
  );
  expect(sent).toEqual([
    [
      'impersonate-user: jürgen',
      'impersonate-uid: 7',
      'impersonate-group: a',
      'impersonate-group: b',
      'impersonate-extra-example.com%2Fscopes: x',
      'impersonate-extra-example.com%2Fscopes: y',
      'impersonate-extra-%C3%BC%25: z',
    ],
    ['impersonate-user: other'],
  ]);
});

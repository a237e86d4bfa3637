import { type ApiObject, namesOf } from '@orch/machinery';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Client } from '../client.js';
import { ApiError, isExpired, TransportError } from '../errors.js';
import { bookmark, event, failure, refuse, ScriptedServer, stream, thing } from '../testing/scripted-server.js';
import { lines } from './lines.js';
import type { WatchEvent } from './watch.js';

const names = namesOf('orch');
const things = { group: '', version: 'v1', resource: 'things', namespace: 'ns' };
let server: ScriptedServer;
let client: Client;
const waits: number[] = [];

beforeAll(async () => {
  server = await ScriptedServer.start();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.requests.length = 0;
  waits.length = 0;
  client = new Client(server.connection, { names, random: () => 1, sleep: async (ms) => void waits.push(ms) });
});
afterEach(() => client.close());

const added = (name: string, version: string, more?: object) => event('ADDED', thing(name, version, more));
const short = ({ type, object }: WatchEvent<ApiObject>) => {
  const { name = '', resourceVersion } = (object as ReturnType<typeof thing>).metadata;
  return `${type} ${name}@${resourceVersion}`;
};
const versionsAsked = () => server.requests.map(({ url }) => url.searchParams.get('resourceVersion'));

/** Everything that comes, and the error or undefined that it ended with. */
async function drain(events: AsyncIterable<WatchEvent<ApiObject>>, atMost = Number.POSITIVE_INFINITY) {
  const seen: string[] = [];
  try {
    for await (const one of events) {
      seen.push(short(one));
      if (seen.length >= atMost) break;
    }
    return { seen, error: undefined };
  } catch (error) {
    return { seen, error };
  }
}

describe('lines', () => {
  async function* pieces(...texts: string[]) {
    for (const text of texts) yield Buffer.from(text);
  }
  const all = async (...texts: string[]) => {
    const found: string[] = [];
    for await (const line of lines(pieces(...texts))) found.push(line.toString());
    return found;
  };

  test('wherever the pieces are cut', async () => {
    const text = '{"a":"é"}\n\n{"b":1}\n{"c":2}\n';
    const bytes = Buffer.from(text);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const found: string[] = [];
      const halves = (async function* () {
        yield bytes.subarray(0, cut);
        yield bytes.subarray(cut);
      })();
      for await (const line of lines(halves)) found.push(line.toString());
      expect(found, `cut at ${cut}`).toEqual(['{"a":"é"}', '{"b":1}', '{"c":2}']);
    }
    expect(await all(...text)).toEqual(['{"a":"é"}', '{"b":1}', '{"c":2}']);
  });

  test('what has no line feed was cut', () => expect(all('{"a":1}\n{"b"')).rejects.toThrow(TransportError));
});

describe('one request', () => {
  test('events of all types, in order', async () => {
    const { name: _none, ...versionOnly } = thing('', '4').metadata;
    server.script = stream([
      added('a', '1') + event('MODIFIED', thing('a', '2')).slice(0, 10),
      event('MODIFIED', thing('a', '2')).slice(10),
      event('DELETED', thing('a', '3')),
      event('BOOKMARK', { metadata: versionOnly }),
    ]);
    expect(await drain(client.openWatch(things, { resourceVersion: '0', timeoutSeconds: 5 }))).toEqual({
      seen: ['ADDED a@1', 'MODIFIED a@2', 'DELETED a@3', 'BOOKMARK @4'],
      error: undefined,
    });
    expect(server.requests[0]?.url.search).toBe('?resourceVersion=0&timeoutSeconds=5&watch=true');
  });

  test('an event that was cut is not given out, however the stream ends', async () => {
    for (const ending of ['end', 'cut'] as const) {
      server.script = stream([added('a', '1'), added('b', '2').slice(0, -1)], ending);
      const { seen, error } = await drain(client.openWatch(things));
      expect(seen).toEqual(['ADDED a@1']);
      expect(error, ending).toBeInstanceOf(TransportError);
    }
  });

  test('a refusal, an ERROR event, and nonsense', async () => {
    server.script = refuse(403, 'Forbidden');
    expect((await drain(client.openWatch(things))).error).toMatchObject({ code: 403, reason: 'Forbidden' });
    server.script = stream([added('a', '1'), event('ERROR', failure(410, 'Expired')), added('b', '2')]);
    const { seen, error } = await drain(client.openWatch(things));
    expect(seen).toEqual(['ADDED a@1']);
    expect(isExpired(error)).toBe(true);
    for (const nonsense of ['not json\n', '{"type":"WHAT","object":{}}\n']) {
      server.script = stream([nonsense]);
      expect((await drain(client.openWatch(things))).error).toBeInstanceOf(TransportError);
    }
  });

  test('leaving the loop closes the connection', async () => {
    const closed = new Promise<void>((resolve) => {
      server.script = (request, response) => {
        response.on('close', resolve);
        stream([added('a', '1')], 'open')(request, response);
      };
    });
    await drain(client.openWatch(things), 1);
    await closed;
  });

  test('an abort ends a silent stream with the reason given', async () => {
    const abort = new AbortController();
    server.script = stream([added('a', '1')], 'open');
    const events = client.openWatch(things, {}, abort.signal);
    await events.next();
    const pending = events.next();
    abort.abort(new Error('enough'));
    await expect(pending).rejects.toThrow('enough');
  });
});

describe('a resumed watch', () => {
  test('goes on from the last version after ends, cuts in mid-event, failures and bookmarks', async () => {
    const resumes: unknown[] = [];
    server.sequence(
      stream([added('a', '11')]),
      stream([added('b', '12'), added('c', '13').slice(0, 30)], 'cut'),
      (_request, response) => response.destroy(),
      refuse(429, 'TooManyRequests', { 'retry-after': '3' }),
      refuse(500, 'InternalError'),
      stream([bookmark('20')], 'cut'),
      stream([added('c', '21')], 'open'),
    );
    const events = client.watch(things, { after: '10' }, { onResume: (cause) => resumes.push(cause) });
    expect((await drain(events, 4)).seen).toEqual(['ADDED a@11', 'ADDED b@12', 'BOOKMARK @20', 'ADDED c@21']);
    expect(versionsAsked()).toEqual(['10', '11', '12', '12', '12', '12', '20']);
    expect(server.requests.every(({ url }) => url.searchParams.get('allowWatchBookmarks') === 'true')).toBe(true);
    expect(resumes.map((cause) => (cause instanceof ApiError ? cause.code : cause instanceof TransportError))).toEqual([
      ...[false, true, true, 429, 500, true],
    ]);
    expect(waits, 'doubling from the last success on, never less than asked').toEqual([200, 200, 400, 3000, 1600, 200]);
  });

  test('410 ends it, as an answer and in mid-stream', async () => {
    for (const last of [
      refuse(410, 'Expired'),
      stream([added('b', '12'), event('ERROR', failure(410, 'Expired'))], 'open'),
    ]) {
      server.sequence(stream([added('a', '11')]), last);
      const { error } = await drain(client.watch(things, { after: '10' }));
      expect(isExpired(error)).toBe(true);
    }
    expect(versionsAsked()).toEqual(['10', '11', '10', '11']);
  });

  test('refusals that will not change end it', async () => {
    for (const code of [400, 401, 403, 404]) {
      server.sequence(refuse(code, 'Whatever'));
      expect((await drain(client.watch(things, { after: '1' }))).error).toMatchObject({ code });
    }
  });

  test('an abort ends it without an error', async () => {
    const abort = new AbortController();
    server.script = stream([added('a', '11')], 'open');
    const events = client.watch(things, { after: '10' }, { signal: abort.signal });
    await events.next();
    const pending = events.next();
    abort.abort();
    expect(await pending).toEqual({ value: undefined, done: true });
    expect(server.requests).toHaveLength(1);
  });
});

describe('initial events', () => {
  const end = { [names.initialEventsEnd]: 'true' };

  test('are asked for once; after the closing bookmark the watch resumes by version', async () => {
    server.sequence(
      stream([added('a', '3'), bookmark('9'), bookmark('10', end)], 'cut'),
      stream([added('b', '11')], 'open'),
    );
    const { seen } = await drain(client.watch(things, { initialEvents: true, notOlderThan: '8' }), 4);
    expect(seen).toEqual(['ADDED a@3', 'BOOKMARK @9', 'BOOKMARK @10', 'ADDED b@11']);
    const asked = server.requests.map(({ url: { searchParams: query } }) => [
      query.get('sendInitialEvents'),
      query.get('resourceVersionMatch'),
      query.get('resourceVersion'),
    ]);
    expect(asked).toEqual([
      ['true', 'NotOlderThan', '8'],
      [null, null, '10'],
    ]);
  });

  test('cut before the closing bookmark are an error, not half a state', async () => {
    for (const ending of ['cut', 'end'] as const) {
      server.sequence(stream([added('a', '3'), bookmark('9')], ending));
      expect((await drain(client.watch(things, { initialEvents: true }))).error).toBeInstanceOf(TransportError);
    }
    expect(server.requests).toHaveLength(2);
  });
});

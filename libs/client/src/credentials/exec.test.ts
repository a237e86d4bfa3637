import { inspect } from 'node:util';
import { certificateBelow } from '@orch/authentication/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Client, type ClientSettings } from '../client.js';
import type { Connection } from '../connection.js';
import { CredentialsError, isTransient } from '../errors.js';
import { Plugin } from '../testing/plugin.js';
import { answer, event, refuse, ScriptedServer, stream, thing } from '../testing/scripted-server.js';
import type { ExecPlugin } from './exec-plugin.js';

const things = { group: '', version: 'v1', resource: 'things', namespace: 'ns' };
const clients: Client[] = [];
let server: ScriptedServer;
let plugin: Plugin;
let now: number;

beforeAll(async () => {
  server = await ScriptedServer.start();
});
afterAll(() => server.stop());
beforeEach(async () => {
  now = Date.parse('2026-01-01T00:00:00Z');
  plugin = await Plugin.make();
  server.requests.length = 0;
  server.script = (_request, response) => answer(response, 200, {});
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await plugin.remove();
});

function connect(more: Partial<ExecPlugin> = {}, settings: ClientSettings = {}, connection: Partial<Connection> = {}) {
  const client = new Client(
    { ...server.connection, exec: plugin.config(more), ...connection },
    { now: () => now, qps: -1, ...settings },
  );
  clients.push(client);
  return client;
}

const get = (client: Client, headers = {}) => client.raw('GET', '/', { headers });
const tokens = () => server.requests.map(({ headers }) => headers.authorization);
const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('it is refused'),
    (error: unknown) => error as Error,
  );

describe('what a plugin is told', () => {
  test('the version, and whether it has the terminal', async () => {
    await plugin.gives({ token: 't1' });
    await get(connect({ args: ['a', 'b c'], env: { EXTRA: 'more', ORCH_EXEC_INFO: 'not this' } }));
    const [[orch = '', kubernetes, extra, args] = []] = await plugin.runs();
    expect(JSON.parse(orch)).toEqual({
      kind: 'ExecCredential',
      apiVersion: 'client.authentication.orch.io/v1',
      spec: { interactive: false },
    });
    expect([kubernetes, extra, args]).toEqual(['', 'more', 'a b c']);
    expect(tokens()).toEqual(['Bearer t1']);
  });

  test.each([
    ['v1', 'Never', true, false],
    ['v1', 'IfAvailable', true, true],
    ['v1beta1', 'IfAvailable', false, false],
    ['v1beta1', 'Always', true, true],
  ] as const)('%s, %s, terminal: %s', async (version, interactiveMode, terminal, interactive) => {
    const apiVersion = `client.authentication.k8s.io/${version}`;
    await plugin.gives({ token: 't1' }, apiVersion);
    await get(connect({ apiVersion, interactiveMode }, { plugin: { terminal } }));
    const [[orch, kubernetes = ''] = []] = await plugin.runs();
    expect(orch).toBe('');
    expect(JSON.parse(kubernetes)).toEqual({ kind: 'ExecCredential', apiVersion, spec: { interactive } });
  });

  test('the cluster, if it wants that', async () => {
    await plugin.gives({ token: 't1' });
    const config = { audience: 'me' };
    const connection = { tlsServerName: 'api', disableCompression: true };
    await get(connect({ provideClusterInfo: true, config }, {}, connection));
    const [[info = ''] = []] = await plugin.runs();
    expect(JSON.parse(info).spec.cluster).toEqual({
      server: server.connection.server,
      'tls-server-name': 'api',
      'certificate-authority-data': Buffer.from(server.pki.ca.cert).toString('base64'),
      'disable-compression': true,
      config,
    });
  });
});

describe('when a plugin is asked', () => {
  test('once, however many wait, in however many clients', async () => {
    await plugin.gives({ token: 't1' });
    const exec = plugin.config();
    const [one, other] = [connect({}, {}, { exec }), connect({}, {}, { exec })];
    await Promise.all([get(one), get(one), get(other)]);
    await get(other);
    expect(tokens()).toEqual(Array(4).fill('Bearer t1'));
    expect(await plugin.runs()).toHaveLength(1);
  });

  test('again when what it gave has expired', async () => {
    await plugin.gives({ token: 't1', expirationTimestamp: '2026-01-01T01:00:10+01:00' });
    const client = connect();
    await get(client);
    await plugin.gives({ token: 't2' });
    now += 10_000;
    await get(client);
    now += 1;
    await get(client);
    now += 365 * 86_400_000;
    await get(client);
    expect(tokens()).toEqual(['Bearer t1', 'Bearer t1', 'Bearer t2', 'Bearer t2']);
  });

  test('again when the server takes it no longer, and the request is made again', async () => {
    await plugin.gives({ token: 't1' });
    const client = connect();
    await get(client);
    await plugin.gives({ token: 't2' });
    server.script = (request, response) => {
      if (request.headers.authorization === 'Bearer t2') answer(response, 200, { body: request.body });
      else refuse(401, 'Unauthorized')(request, response);
    };
    const { body } = await client.raw('POST', '/', { body: 'hello' });
    expect(JSON.parse(body.toString())).toEqual({ body: 'hello' });
    expect(tokens()).toEqual(['Bearer t1', 'Bearer t1', 'Bearer t2']);
  });

  test('once for each request whose credentials never were taken', async () => {
    await plugin.gives({ token: 'bad' });
    server.script = refuse(401, 'Unauthorized');
    const client = connect();
    for (const _ of [1, 2]) expect(await failure(get(client))).toMatchObject({ code: 401 });
    expect(tokens()).toEqual(['Bearer bad', 'Bearer bad']);
    expect(await plugin.runs()).toHaveLength(2);
  });

  test('never where there are other credentials', async () => {
    const others: Partial<Connection>[] = [
      { token: 'own' },
      { basic: { username: 'u', password: 'p' } },
      { cert: server.pki.admin.cert, key: server.pki.admin.key },
    ];
    for (const other of others) await get(connect({}, {}, other));
    await get(connect(), { authorization: 'Bearer mine' });
    expect(tokens()).toEqual(['Bearer own', 'Basic dTpw', undefined, 'Bearer mine']);
    expect(await plugin.runs()).toEqual([]);
  });

  test('by a request that is given up, the plugin runs on for others', async () => {
    await plugin.gives({ token: 't1' });
    await plugin.does('while [ ! -e "$0.go" ]; do sleep 0.02; done; cat "$0.out"');
    const client = connect();
    const abort = new AbortController();
    const [given, kept] = [client.raw('GET', '/', { signal: abort.signal }), get(client)];
    abort.abort(new Error('enough'));
    expect(await failure(given)).toEqual(new Error('enough'));
    await plugin.write('go');
    await kept;
    expect(await plugin.runs()).toHaveLength(1);
  });
});

describe('certificates of a plugin', () => {
  const pair = async (name: string) => {
    const { cert, key } = await certificateBelow(server.pki.ca, name);
    return { clientCertificateData: cert, clientKeyData: key };
  };
  const names = () => server.requests.map(({ client }) => client);

  test('another one closes the connections that were shown the one before', async () => {
    await plugin.gives({ ...(await pair('one')), expirationTimestamp: '2026-01-01T00:00:10Z' });
    const client = connect();
    const held: (() => void)[] = [];
    server.script = (request, response) => {
      if (request.url.searchParams.has('watch')) stream([event('ADDED', thing('a', '1'))], 'open')(request, response);
      else if (request.url.pathname === '/slow') held.push(() => answer(response, 200, { slow: true }));
      else answer(response, 200, {});
    };
    const watch = client.openWatch(things);
    await watch.next();
    const slow = client.raw('GET', '/slow');
    await expect.poll(() => held.length).toBe(1);
    await plugin.gives(await pair('two'));
    now += 10_001;
    await get(client);
    expect(names()).toEqual(['one', 'one', 'two']);
    expect((await failure(watch.next())).message).toMatch(/certificate has changed/);
    held[0]?.();
    expect((await slow).status, 'what waits for an answer gets it').toBe(200);
  });

  test('the same one keeps them', async () => {
    let handshakes = 0;
    const count = () => {
      handshakes += 1;
    };
    server.server.on('secureConnection', count);
    await plugin.gives({ ...(await pair('one')), token: 't1', expirationTimestamp: '2026-01-01T00:00:10Z' });
    const client = connect();
    await get(client);
    now += 10_001;
    await get(client);
    server.server.off('secureConnection', count);
    expect([handshakes, names(), tokens()]).toEqual([1, ['one', 'one'], ['Bearer t1', 'Bearer t1']]);
    expect(await plugin.runs()).toHaveLength(2);
  });

  test('another one is shown where the one before is refused', async () => {
    await plugin.gives(await pair('one'));
    const client = connect();
    await get(client);
    await plugin.gives(await pair('two'));
    server.script = (request, response) => {
      if (request.client === 'two') answer(response, 200, {});
      else refuse(401, 'Unauthorized')(request, response);
    };
    await get(client);
    expect(names()).toEqual(['one', 'one', 'two']);
  });

  test('watches of all clients of the plugin are cut', async () => {
    await plugin.gives({ ...(await pair('one')), expirationTimestamp: '2026-01-01T00:00:10Z' });
    const exec = plugin.config();
    const [watching, asking] = [connect({}, {}, { exec }), connect({}, {}, { exec })];
    server.script = stream([event('ADDED', thing('a', '1'))], 'open');
    const watch = watching.openWatch(things);
    await watch.next();
    server.script = (_request, response) => answer(response, 200, {});
    await plugin.gives(await pair('two'));
    now += 10_001;
    await get(asking);
    await failure(watch.next());
  });
});

describe('a plugin that gives nothing', () => {
  const GROUP = 'client.authentication.orch.io';
  const credential = (status: unknown, more = {}) =>
    JSON.stringify({ kind: 'ExecCredential', apiVersion: `${GROUP}/v1`, status, ...more });

  test.each([
    ['no JSON', 'geheim: "', 'decoding stdout'],
    ['a text', 'geheim', 'no ExecCredential'],
    ['a long text', `geheim: [${'a,'.repeat(40_000)}]`, 'neither JSON nor YAML'],
    ['another kind', credential({ token: 'geheim' }, { kind: 'Pod' }), 'no ExecCredential'],
    [
      'another version',
      credential({ token: 'geheim' }, { apiVersion: `${GROUP}/v1beta1` }),
      'plugin returned version client.auth',
    ],
    ['no status', credential(undefined), 'no status'],
    ['an empty status', credential({}), 'neither a token nor a certificate'],
    ['a certificate alone', credential({ clientCertificateData: 'geheim' }), 'only one of'],
    ['a key alone', credential({ clientKeyData: 'geheim' }), 'only one of'],
    [
      'no certificate',
      credential({ clientCertificateData: 'geheim', clientKeyData: 'geheim' }),
      'not a certificate in PEM',
    ],
    ['a number for a token', credential({ token: 5 }), 'status.token is not a string'],
    ['no time', credential({ token: 'geheim', expirationTimestamp: 'geheim' }), 'no time as RFC 3339'],
    ['a token of two lines', credential({ token: 'geheim\r\nx: y' }), 'what no header can'],
    ['nothing', '', 'no ExecCredential'],
  ])('but %s is told so, without what it printed', async (_what, output, message) => {
    await plugin.prints(output);
    const error = await failure(get(connect()));
    expect(error).toBeInstanceOf(CredentialsError);
    expect(error.message).toContain(message);
    expect(isTransient(error)).toBe(true);
    expect(inspect(error)).not.toContain('geheim');
    expect(server.requests).toEqual([]);
  });

  test('and YAML is read too', async () => {
    await plugin.prints(`kind: ExecCredential\napiVersion: ${GROUP}/v1\nstatus: {token: t1}\n`);
    await get(connect());
    expect(tokens()).toEqual(['Bearer t1']);
  });

  test.each([
    ['fails', 'echo geheim; exit 3', 'failed with exit code 3'],
    ['is ended', 'kill -9 $$', 'was ended by SIGKILL'],
    ['takes too long', 'exec sleep 60', 'gave no credentials within 2000 ms'],
    ['prints too much', 'while :; do echo geheim; done', 'printed more than 1000 bytes'],
  ])('but %s', async (_what, commands, message) => {
    await plugin.does(commands);
    const limits = { timeoutMs: commands.includes('sleep') ? 2000 : 60_000, maxOutputBytes: 1000 };
    const client = connect({ args: ['geheim'] }, { plugin: limits });
    const error = await failure(get(client));
    expect(error.message).toBe(`getting credentials: exec: executable ${plugin.command} ${message}`);
    expect(inspect(error)).not.toContain('geheim');
    await plugin.gives({ token: 't1' });
    await get(client);
    expect(tokens(), 'it is asked again').toEqual(['Bearer t1']);
  });

  test('because it is not there, with the hint that goes with it', async () => {
    const error = await failure(get(connect({ command: 'no-such-plugin', installHint: 'brew\tinstall \u001b[1mit' })));
    expect(error.message).toContain('executable no-such-plugin not found\n\nbrew\tinstall U+001B[1mit');
    expect((await failure(get(connect({ command: plugin.dir })))).message).toContain('cannot be run: EACCES');
    const cases: [Partial<ExecPlugin>, string][] = [
      [{ args: ['geheim\0'] }, 'ERR_INVALID_ARG_VALUE'],
      [{ env: { LONG: 'geheim'.repeat(1_000_000) } }, 'E2BIG'],
    ];
    for (const [more, code] of cases) {
      const odd = await failure(get(connect(more)));
      expect(odd.message).toContain(`cannot be run: ${code}`);
      expect(inspect(odd)).not.toContain('geheim');
    }
  });

  test('because it needs a terminal', async () => {
    const error = await failure(get(connect({ interactiveMode: 'Always' }, { plugin: { terminal: false } })));
    expect(error.message).toContain('standard input is not a terminal');
    expect(await plugin.runs()).toEqual([]);
  });

  test('because it speaks another version', () => {
    for (const apiVersion of [`${GROUP}/v1alpha1`, GROUP, 'v1']) {
      expect(() => connect({ apiVersion })).toThrow(/invalid apiVersion/);
    }
  });
});

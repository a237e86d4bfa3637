import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { servingOptions } from '@orch/apiserver';
import { ensurePki, type Pki, type TokenVerifier } from '@orch/authentication';
import { OidcIssuer } from '@orch/authentication/testing';
import { writeKubeconfig } from '@orch/client';
import { answer, type Received, ScriptedServer } from '@orch/client/testing';
import { namesOf } from '@orch/machinery';
import { createLogger, defineOptions } from '@orch/runtime';
import type { ExpiringValue, SharedVerdicts } from '@orch/webhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RemoteTokens, type RemoteTokensSettings } from './remote-tokens.js';

let dir: string;
let pki: Pki;
let caFile: string;
let log: string;
let opened: RemoteTokens[];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'remote-tokens-'));
  pki = await ensurePki({ certDir: dir, bindAddress: '127.0.0.1', names: namesOf('orch') });
  caFile = pki.ca.certFile;
});
afterAll(() => rm(dir, { recursive: true }));
beforeEach(() => {
  [log, opened] = ['', []];
});
afterEach(() => Promise.all(opened.map((tokens) => tokens.close())));

async function open(args: readonly string[], settings: Partial<RemoteTokensSettings> = {}): Promise<TokenVerifier> {
  const write = (line: string) => {
    log += line;
  };
  const tokens = await RemoteTokens.open({
    options: defineOptions(servingOptions).parse([...args]).values,
    names: namesOf('orch'),
    audiences: [],
    logger: createLogger({ format: 'text', verbosity: 0, write }),
    ...settings,
  });
  opened.push(tokens);
  return tokens.verifiers[0] as TokenVerifier;
}

describe('a real OpenID Connect issuer', () => {
  const accounts = { jane: { email: 'jane@example.org', email_verified: true, groups: ['dev', 'ops'], team: 'blue' } };
  const tls = () => ({ cert: pki.serving.cert, key: pki.serving.key, ca: pki.ca.cert });
  const options = ({ url, clientId }: Pick<OidcIssuer, 'url' | 'clientId'>, ...more: string[]) => [
    `--oidc-issuer-url=${url}`,
    `--oidc-client-id=${clientId}`,
    `--oidc-ca-file=${caFile}`,
    ...more,
  ];
  let issuer: OidcIssuer;
  beforeAll(async () => {
    issuer = await OidcIssuer.start(tls(), accounts);
  });
  afterAll(() => issuer.stop());
  const eventually = (verifier: TokenVerifier, token: string) =>
    expect.poll(() => Promise.resolve(verifier.verify(token)).catch(String), { timeout: 15_000 });

  it('its tokens stand for whom the options say', async () => {
    const token = await issuer.idToken('jane');
    const plain = await open(options(issuer));
    await eventually(plain, token).toMatchObject({
      user: { name: `${issuer.url}#jane`, groups: ['system:authenticated'] },
    });
    const more = ['--oidc-username-claim=email', '--oidc-groups-claim=groups', '--oidc-groups-prefix=oidc:'];
    const mapped = await open(options(issuer, ...more, '--oidc-required-claim=team=blue'), { audiences: ['api'] });
    await eventually(mapped, token).toMatchObject({
      user: { name: 'jane@example.org', groups: ['oidc:dev', 'oidc:ops', 'system:authenticated'] },
      audiences: ['api'],
    });
    expect(await mapped.verify(token, ['other'])).toBeUndefined();
    const strict = await open(options(issuer, '--oidc-required-claim=team=red'));
    await eventually(strict, token).toContain('required claim team value does not match');
    const other = await open([...options(issuer), '--oidc-client-id=another']);
    await eventually(other, token).toContain('expected audience "another"');
  });

  it('with another key its tokens are believed, and those before no more', async () => {
    const verifier = await open(options(issuer));
    const old = await issuer.idToken('jane');
    await eventually(verifier, old).toHaveProperty('user');
    await issuer.rotate();
    const young = await issuer.idToken('jane');
    await eventually(verifier, young).toHaveProperty('user');
    await expect(verifier.verify(old)).rejects.toThrow('failed to verify');
  });

  it('may be down at the start: its tokens are refused until it is there', async () => {
    const first = await OidcIssuer.start(tls(), accounts);
    const { port, url, clientId } = first;
    const token = await first.idToken('jane');
    await first.stop();
    const verifier = await open(options({ url, clientId }));
    await expect(verifier.verify(token)).rejects.toThrow('oidc: authenticator not initialized');
    await expect.poll(() => log).toContain('ECONNREFUSED');
    const second = await OidcIssuer.start(tls(), accounts, port);
    await eventually(verifier, await second.idToken('jane')).toHaveProperty('user');
    await second.stop();
  });

  it('is not believed with a certificate of others', async () => {
    const args = [`--oidc-issuer-url=${issuer.url}`, '--oidc-client-id=cluster'];
    const verifier = await open(args);
    await expect.poll(() => log).toMatch(/certificate/);
    await expect(verifier.verify(await issuer.idToken('jane'))).rejects.toThrow('not initialized');
  });

  it.each([
    [['--requestheader-username-headers=X User'], '"X User" is not a header name'],
    [['--oidc-issuer-url=https://x'], 'oidc-issuer-url and oidc-client-id should be specified together'],
    [['--oidc-client-id=x'], 'should be specified together'],
    [['--oidc-issuer-url=http://x', '--oidc-client-id=x'], 'invalid scheme "http"'],
    [['--oidc-issuer-url=https://x', '--oidc-client-id=x', '--oidc-ca-file=/none/such'], 'ENOENT'],
    [['--oidc-signing-algs=HS256'], '"HS256" is not one of'],
    [['--oidc-required-claim=a'], 'not of the form key=value'],
    [['--oidc-required-claim=a=1', '--oidc-required-claim=a=2'], 'is given two values'],
  ])('%j cannot be used', (args, message) => expect(open(args)).rejects.toThrow(message));

  it('commas belong to what a claim is required to be', () => {
    const { values } = defineOptions(servingOptions).parse([
      '--oidc-required-claim=a=1,b=2',
      '--oidc-required-claim=c=3',
    ]);
    expect(values.oidcRequiredClaim).toEqual(['a=1,b=2', 'c=3']);
  });
});

describe('a webhook', () => {
  let server: ScriptedServer;
  let file: string;
  beforeAll(async () => {
    server = await ScriptedServer.start();
    file = join(dir, 'webhook');
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    server.requests.length = 0;
    await writeKubeconfig(file, { ...server.connection, server: `${server.connection.server}/review` });
  });
  const config = () => `--authentication-token-webhook-config-file=${file}`;
  const V1BETA1 = 'authentication.orch.io/v1beta1';
  const says = (status: object, apiVersion = V1BETA1) => {
    server.script = (_: Received, response) => answer(response, 200, { apiVersion, kind: 'TokenReview', status });
  };
  const jane = { username: 'jane', uid: '7', groups: ['dev'], extra: { 'x/y': ['1', '2'] } };

  it('says who it is, once while that is kept', async () => {
    says({ authenticated: true, user: jane });
    const verifier = await open([config()]);
    const found = await Promise.all([verifier.verify('s3cret'), verifier.verify('s3cret')]);
    found.push(await verifier.verify('s3cret'));
    for (const each of found)
      expect(each).toMatchObject({
        user: { name: 'jane', uid: '7', groups: ['dev', 'system:authenticated'], extra: { 'x/y': ['1', '2'] } },
        method: 'token',
      });
    expect(server.requests.map(({ url, body }) => [url.pathname, JSON.parse(body)])).toEqual([
      [
        '/review',
        { apiVersion: V1BETA1, kind: 'TokenReview', metadata: { creationTimestamp: null }, spec: { token: 's3cret' } },
      ],
    ]);
    await verifier.verify('other');
    expect(server.requests).toHaveLength(2);
    expect(log).not.toContain('s3cret');
  });

  it.each([
    ['v1', 'authentication.orch.io/v1'],
    ['authentication.orch.io/v1', 'authentication.orch.io/v1'],
    ['authentication.orch.io/v1beta1', V1BETA1],
  ])('is asked in version %s', async (version, apiVersion) => {
    says({ authenticated: true, user: jane }, apiVersion);
    const verifier = await open([config(), `--authentication-token-webhook-version=${version}`]);
    expect(await verifier.verify('t')).toBeDefined();
    expect(JSON.parse(String(server.requests[0]?.body)).apiVersion).toBe(apiVersion);
  });

  it('is refused when it answers in another version', async () => {
    says({ authenticated: true, user: jane }, 'authentication.orch.io/v1');
    await expect((await open([config()])).verify('t')).rejects.toThrow('another apiVersion than');
  });

  it.each<[string, readonly string[] | undefined, readonly string[] | undefined, readonly string[] | undefined]>([
    ['of those of the API', undefined, ['b'], ['b']],
    ['of the API where it says nothing', undefined, undefined, ['a', 'b']],
    ['none in common', undefined, ['c'], undefined],
    ['of those asked about', ['c', 'd'], ['d', 'e'], ['d']],
    ['none of the API asked about', ['c'], undefined, undefined],
  ])('a token is good for audiences %s', async (_, wanted, given, good) => {
    says({ authenticated: true, user: jane, ...(given && { audiences: given }) });
    const verifier = await open([config()], { audiences: ['a', 'b'] });
    expect((await verifier.verify('t', wanted))?.audiences).toEqual(good);
    expect(JSON.parse(String(server.requests[0]?.body)).spec.audiences).toEqual(wanted ?? ['a', 'b']);
  });

  it('what it does not know is kept, and what it says to be wrong, or a failure, is not', async () => {
    const verifier = await open([config()]);
    says({ authenticated: false });
    expect([await verifier.verify('a'), await verifier.verify('a')]).toEqual([undefined, undefined]);
    expect(server.requests).toHaveLength(1);
    says({ authenticated: false, error: 'it was revoked' });
    for (let i = 0; i < 2; i++) await expect(verifier.verify('b')).rejects.toThrow(/^it was revoked$/);
    server.script = (_, response) => answer(response, 403, {});
    for (let i = 0; i < 2; i++) await expect(verifier.verify('c')).rejects.toThrow('the server answered 403');
    expect(server.requests).toHaveLength(5);
    says({ authenticated: true, user: jane, error: 'ignored' });
    expect(await verifier.verify('c')).toBeDefined();
  });

  it('is asked again about a token once what it said is not kept any more', async () => {
    says({ authenticated: true, user: jane });
    const verifier = await open([config(), '--authentication-token-webhook-cache-ttl=0s']);
    const before = Date.now();
    const { user, recheck } = (await verifier.verify('s3cret')) ?? {};
    expect(recheck?.dueAt).toBeGreaterThanOrEqual(before);
    expect(recheck?.dueAt).toBeLessThanOrEqual(Date.now());
    expect(recheck?.key).not.toContain('s3cret');
    const again = await recheck?.again();
    expect([again?.user, again?.recheck?.key]).toEqual([user, recheck?.key]);
    says({ authenticated: false, error: 'it was revoked' });
    expect(await recheck?.again()).toBeUndefined();
    server.script = (_, response) => answer(response, 403, {});
    await expect(recheck?.again()).rejects.toThrow('the server answered 403');
  });

  it('is asked each time where nothing is to be kept', async () => {
    says({ authenticated: true, user: jane });
    const verifier = await open([config(), '--authentication-token-webhook-cache-ttl=0s']);
    await verifier.verify('a');
    await verifier.verify('a');
    expect(server.requests).toHaveLength(2);
  });

  it.each<[string, object]>([
    ['no user', { authenticated: true }],
    ['a user without a name', { authenticated: true, user: { uid: '1' } }],
    ['groups that are none', { authenticated: true, user: { username: 'x', groups: 'system:masters' } }],
    ['values that are none', { authenticated: true, user: { username: 'x', extra: { a: [1] } } }],
    ['audiences that are none', { authenticated: true, user: { username: 'x' }, audiences: 'a' }],
  ])('that names %s is not believed', async (_, status) => {
    says(status);
    await expect((await open([config()])).verify('t')).rejects.toThrow(/webhook/);
  });

  it('what processes share is believed only as far as it can be read', async () => {
    const kept = new Map<string, ExpiringValue<unknown>>();
    const shared: SharedVerdicts = {
      get: async (parts) => kept.get(JSON.stringify(parts)),
      set: async (parts, value) => void kept.set(JSON.stringify(parts), JSON.parse(JSON.stringify(value))),
    };
    says({ authenticated: true, user: jane });
    const first = await (await open([config()], { shared })).verify('t');
    const shares = async () => (await (await open([config()], { shared })).verify('t'))?.user;
    expect(await shares()).toEqual(first?.user);
    expect(server.requests).toHaveLength(1);
    const until = Date.now() + 60_000;
    for (const value of [7, { user: { name: 7 } }, { user: { name: 'x', groups: 'y' }, audiences: [] }]) {
      for (const key of kept.keys()) kept.set(key, { until, value });
      expect(await shares()).toEqual(first?.user);
    }
    says({ authenticated: false });
    expect(await (await open([config()], { shared })).verify('made up')).toBeUndefined();
    expect(kept.size, 'of those that stand for nobody nobody is told').toBe(1);
    const others = await open([config(), '--authentication-token-webhook-version=v1'], { shared });
    says({ authenticated: false }, 'authentication.orch.io/v1');
    expect(await others.verify('t'), 'of a webhook that is asked otherwise').toBeUndefined();
  });

  it('is shown what its file says now, and one that cannot be read changes nothing', async () => {
    says({ authenticated: true, user: jane });
    const verifier = await open([config(), '--authentication-token-webhook-cache-ttl=0s']);
    const shown = async () => {
      await verifier.verify('t');
      return server.requests.at(-1)?.headers.authorization;
    };
    expect(await shown()).toBeUndefined();
    await writeKubeconfig(file, { ...server.connection, token: 'young' });
    await expect.poll(shown).toBe('Bearer young');
    await writeFile(file, 'nothing');
    await expect.poll(() => log).toContain('could not be reloaded');
    expect(await shown()).toBe('Bearer young');
  });

  it.each([
    [['--authentication-token-webhook-config-file=/none/such'], 'ENOENT'],
    [['--authentication-token-webhook-version=v2'], 'unsupported authentication webhook version "v2"'],
  ])('%j cannot be used', (args, message) => expect(open([config(), ...args])).rejects.toThrow(message));
});

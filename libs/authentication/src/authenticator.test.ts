import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createPlainServer, request as plainRequest } from 'node:http';
import { Agent, createServer, request, type Server } from 'node:https';
import { type AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { namesOf, StatusError } from '@orch/machinery';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Authenticator, bearerToken, createAuthenticator } from './authenticator.js';
import { type CertificateSubject, createAuthority, generateKey, issueCertificate } from './certificates.js';
import { ensurePki, type Pki } from './pki.js';
import { forwardedIdentity, requestHeaderNames } from './request-header.js';
import { certificateBelow } from './testing/index.js';
import { TokenFileAuthenticator } from './token-file.js';
import { audienceAgnostic, type TokenVerifier } from './token-verifier.js';
import { authoritiesOf, type CertificateTrust, isTrusted } from './trust.js';
import type { AuthenticationMethod } from './user.js';
import { CLIENT_CERTIFICATE_OPTIONS, keepChains } from './x509.js';

const DAY_MS = 86_400_000;
let dir: string;
let pki: Pki;
let server: Server;
let authenticator: Authenticator;
let clock = Date.now();
let trust: CertificateTrust;
const agents: Agent[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'authn-'));
  pki = await ensurePki({ certDir: dir, bindAddress: '127.0.0.1', names: namesOf('orch') });
  trust = { clients: authoritiesOf(pki.ca.cert), proxies: authoritiesOf(pki.proxyCa.cert), proxyNames: [] };
  server = createServer(
    {
      cert: pki.serving.cert,
      key: pki.serving.key,
      ca: [pki.ca.cert, pki.proxyCa.cert],
      ...CLIENT_CERTIFICATE_OPTIONS,
    },
    async (req, res) => {
      res.setHeader('session-reused', String((req.socket as TLSSocket).isSessionReused()));
      try {
        res.end(JSON.stringify(await authenticator.authenticate(req)));
      } catch (error) {
        const { status, cause } = StatusError.from(error);
        res.writeHead(status.code).end(JSON.stringify({ status, cause: cause instanceof Error ? cause.message : '' }));
      }
    },
  );
  keepChains(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  for (const agent of agents) agent.destroy();
  server.close();
  await rm(dir, { recursive: true });
});

const tokens = new TokenFileAuthenticator('good,alice,u1,dev', 'tokens');
const make = (anonymous = true) =>
  createAuthenticator({
    trust: () => trust,
    tokenVerifiers: [tokens],
    anonymous,
    now: () => clock,
  });

interface Answer {
  code: number;
  reused: string;
  body: {
    user?: { name: string; groups: string[] };
    method?: string;
    expiresAt?: number;
    audited?: true;
    cause?: string;
  };
}

function agent(identity?: { cert: string; key: string }): Agent {
  const made = new Agent({ ca: pki.ca.cert, keepAlive: true, ...identity });
  agents.push(made);
  return made;
}

async function ask(via: Agent, authorization?: string, more: Record<string, string | string[]> = {}): Promise<Answer> {
  const { port } = server.address() as AddressInfo;
  const req = request({
    host: '127.0.0.1',
    port,
    agent: via,
    headers: { ...more, ...(authorization && { authorization }) },
  }).end();
  const [res] = await once(req, 'response');
  let text = '';
  for await (const chunk of res) text += chunk;
  return { code: res.statusCode, reused: res.headers['session-reused'], body: JSON.parse(text) };
}

async function clientCertificate(
  subject: CertificateSubject,
  options: { days?: number; usage?: 'server' | 'client' } = {},
) {
  const key = await generateKey();
  const { days = 1, usage = 'client' } = options;
  return { key, cert: await issueCertificate(pki.ca, { key, subject, usage, days }, Date.now()) };
}

test('client certificate: common name and organizations', async () => {
  authenticator = make();
  const via = agent(pki.admin);
  const first = await ask(via);
  expect(first).toEqual({
    code: 200,
    reused: 'false',
    body: {
      user: { name: 'admin', groups: ['system:masters', 'system:authenticated'], extra: {} },
      method: 'x509',
      expiresAt: expect.any(Number),
      authority: [...authoritiesOf(pki.ca.cert).keys()][0],
    },
  });
  expect(await ask(via), 'a later request on the connection').toEqual(first);
  expect(await ask(via, 'Bearer wrong'), 'the first method that succeeds decides').toEqual(first);
  expect(
    await ask(agent(await clientCertificate({ commonName: 'eve', organizations: ['a', 'b', 'a'] }))),
  ).toMatchObject({
    body: { user: { name: 'eve', groups: ['a', 'b', 'system:authenticated'] } },
  });
});

test('a name with line breaks or separators stays one name', async () => {
  authenticator = make();
  const commonName = 'mallory\nO=system:masters/O=system:masters,O=system:masters';
  const { body } = await ask(agent(await clientCertificate({ commonName, organizations: ['x\nCN=admin'] })));
  expect(body.user?.groups).not.toContain('system:masters');
  expect(body.user?.name).not.toBe('admin');
  expect(body.user?.groups).toHaveLength(2);
});

test('a front proxy speaks for others, a caller only for itself', async () => {
  authenticator = make();
  const claim = forwardedIdentity({ name: 'jane', groups: ['dev'], extra: {} });
  const proxied = await ask(agent(pki.proxy), undefined, claim);
  expect(proxied.body).toMatchObject({
    user: { name: 'jane', groups: ['dev', 'system:authenticated'] },
    method: 'proxy',
  });
  const impostor = await clientCertificate({ commonName: 'front-proxy-client' });
  expect((await ask(agent(impostor), undefined, claim)).body.user?.name).toBe('front-proxy-client');
  expect((await ask(agent(pki.admin), undefined, claim)).body.user?.name).toBe('admin');
  expect((await ask(agent(pki.proxy))).code, 'for nobody').toBe(401);
});

test('a certificate for one direction is believed in no other', async () => {
  authenticator = make();
  const before = trust;
  const claim = forwardedIdentity({ name: 'jane', groups: ['system:masters'], extra: {} });
  const plain = { 'X-Remote-User': 'jane' };
  const [hands, aggregates] = [agent(pki.gatewayClient), agent(pki.aggregator)];
  const codes = async () =>
    Promise.all(
      [hands, aggregates].flatMap((via) => [claim, plain].map(async (said) => (await ask(via, undefined, said)).code)),
    );
  expect(await codes(), 'an api-server').toEqual([401, 401, 401, 401]);
  expect((await ask(hands, undefined, claim)).body.cause).toContain('its name is not that of a front proxy');
  trust = { ...before, takesHandedWatches: true };
  expect(await codes(), 'a gateway').toEqual([200, 401, 401, 401]);
  expect((await ask(hands, undefined, claim)).body).toMatchObject({ user: { name: 'jane' }, onlyFor: 'watch' });
  expect((await ask(agent(pki.proxy), undefined, claim)).body).not.toHaveProperty('onlyFor');
  trust = { ...before, takesHandedWatches: true, proxyNames: ['front-proxy-client'] };
  expect(await codes(), 'a gateway that names its front proxies').toEqual([200, 401, 401, 401]);
  trust = { ...before, proxyNames: ['gateway-client', 'aggregator-client'] };
  expect(await codes(), 'a server that takes them for front proxies').toEqual([401, 200, 401, 200]);
  trust = before;
});

test('a front proxy may say when what it speaks for ends; then, and when it cannot be read, that is a 401', async () => {
  authenticator = make();
  const via = agent(pki.proxy);
  const jane = { name: 'jane', groups: [], extra: {} };
  const end = clock + 5000;
  expect((await ask(via, undefined, forwardedIdentity(jane, end))).body.expiresAt).toBe(end);
  expect((await ask(via, undefined, forwardedIdentity(jane, end))).body.audited).toBeUndefined();
  expect((await ask(via, undefined, forwardedIdentity(jane, end, true))).body.audited).toBe(true);
  clock = end - 1;
  expect((await ask(via, undefined, forwardedIdentity(jane, end))).code).toBe(200);
  clock = end;
  expect((await ask(via, undefined, forwardedIdentity(jane, end))).code).toBe(401);
  clock = Date.now();
  expect((await ask(via, undefined, { ...forwardedIdentity(jane), 'x-remote-expires': 'soon' })).code).toBe(401);
});

test('other front proxies say it plainly, under the names of the options', async () => {
  authenticator = make();
  const via = agent(pki.proxy);
  const claim = {
    'x-remote-user': 'ann%41',
    'x-remote-group': ['a,b', '', 'c%2c'],
    'X-Remote-Extra-Acme.com%2FScope': ['x', 'y, z'],
  };
  expect((await ask(via, undefined, claim)).body.user).toEqual({
    name: 'ann%41',
    groups: ['a,b', 'c%2c', 'system:authenticated'],
    extra: { 'acme.com/scope': ['x', 'y, z'] },
  });
  const hidden = { ...claim, 'x-remote-uid': '7', 'x-remote-expires': new Date(0).toISOString() };
  expect((await ask(via, undefined, hidden)).body).not.toHaveProperty('user.uid');
  authenticator = createAuthenticator({
    trust: () => trust,
    tokenVerifiers: [],
    anonymous: true,
    requestHeaders: requestHeaderNames([' X-First ', 'X-User'], ['X-Team', 'X-Role'], ['X-More-', 'X-Also-']),
  });
  const named = {
    'x-first': '',
    'x-user': 'bob',
    'X-Role': 'r',
    'x-team': 't',
    'x-also-k': '2',
    'x-more-k': '1',
    ...claim,
  };
  expect((await ask(via, undefined, named)).body.user).toEqual({
    name: 'bob',
    groups: ['t', 'r', 'system:authenticated'],
    extra: { k: ['1', '2'] },
  });
  expect((await ask(via, undefined, claim)).code).toBe(401);
  expect(['x-user', 'x-also-z', 'x-remote-user'].map((name) => authenticator.isRequestHeader?.(name))).toEqual([
    true,
    true,
    false,
  ]);
});

test('an authority that is dropped is so for open connections', async () => {
  authenticator = make();
  const via = agent(await clientCertificate({ commonName: 'jane' }));
  expect((await ask(via)).code).toBe(200);
  trust = { ...trust, clients: new Map() };
  expect(await ask(via)).toMatchObject({
    code: 401,
    body: { cause: expect.stringContaining('not believed any more') },
  });
  trust = { ...trust, clients: authoritiesOf(pki.ca.cert) };
  expect((await ask(via)).code).toBe(200);
});

test('what was let in is believed no longer than its authority', () => {
  const [ca = '', proxyCa = ''] = [...authoritiesOf(pki.ca.cert).keys(), ...authoritiesOf(pki.proxyCa.cert).keys()];
  const user = { name: 'jane', groups: [], extra: {} };
  const none = { ...trust, clients: new Map(), proxies: new Map() };
  const believed = (method: AuthenticationMethod, authority?: string) => {
    const authentication = { user, method, ...(authority !== undefined && { authority }) };
    return [isTrusted(trust, authentication), isTrusted(none, authentication)];
  };
  expect(believed('x509', ca)).toEqual([true, false]);
  expect(believed('proxy', proxyCa)).toEqual([true, false]);
  expect([believed('x509', proxyCa), believed('proxy', ca), believed('x509')]).toEqual([
    [false, false],
    [false, false],
    [false, false],
  ]);
  expect([believed('token'), believed('anonymous')]).toEqual([
    [true, true],
    [true, true],
  ]);
});

test('an authority of callers and proxies tells them apart by name', async () => {
  authenticator = make();
  const before = trust;
  trust = { ...before, proxies: trust.clients, proxyNames: ['balancer'] };
  const claim = { 'X-Remote-User': 'jane' };
  const caller = agent(await clientCertificate({ commonName: 'eve' }));
  expect((await ask(caller, undefined, claim)).body).toMatchObject({ user: { name: 'eve' }, method: 'x509' });
  const proxy = agent(await clientCertificate({ commonName: 'balancer' }));
  expect((await ask(proxy, undefined, claim)).body).toMatchObject({ user: { name: 'jane' }, method: 'proxy' });
  const forwarded = forwardedIdentity({ name: 'jane', groups: [], extra: {} });
  expect((await ask(proxy, undefined, forwarded)).body.cause).toContain('by its certificate it is not');
  expect((await ask(proxy)).body, 'for nobody').toMatchObject({ user: { name: 'balancer' }, method: 'x509' });
  expect((await ask(agent(pki.proxy), undefined, claim)).code, 'of an authority that is none now').toBe(401);
  trust = before;
});

test('a resumed TLS session is of the same authority, also with a certificate signed in between', async () => {
  authenticator = make();
  const far = await certificateBelow(pki.ca, 'far');
  const via = new Agent({ ca: pki.ca.cert, ...far, keepAlive: false, maxCachedSessions: 10 });
  agents.push(via);
  expect(await ask(via)).toMatchObject({ code: 200, reused: 'false' });
  expect(await ask(via)).toMatchObject({ code: 200, reused: 'true', body: { user: { name: 'far' } } });
});

test('a connection keeps its certificate: it may not negotiate anew, not even before its first request', async () => {
  const { port } = server.address() as AddressInfo;
  const options = { host: '127.0.0.1', port, ca: pki.ca.cert, ...pki.admin, maxVersion: 'TLSv1.2' } as const;
  const socket = connect(options).on('error', () => undefined);
  await once(socket, 'secureConnect');
  const refused = new Promise((resolve) => socket.once('close', () => resolve('refused')));
  const renegotiated = new Promise((resolve) => socket.renegotiate({}, (error) => resolve(error ? 'refused' : 'done')));
  expect(await Promise.race([refused, renegotiated])).toBe('refused');
  socket.destroy();
});

test('a resumed TLS session carries the same user', async () => {
  authenticator = make();
  const via = new Agent({ ca: pki.ca.cert, ...pki.admin, keepAlive: false, maxCachedSessions: 10 });
  agents.push(via);
  await ask(via);
  const second = await ask(via);
  expect(second.reused).toBe('true');
  expect(second.body.user?.name).toBe('admin');
});

test.each(['self-signed', 'expired', 'for servers'])(
  'a certificate that is %s is a 401, even if anonymous is on',
  async (flaw) => {
    authenticator = make();
    const key = await generateKey();
    const subject = { commonName: 'admin', organizations: ['system:masters'] };
    const cert =
      flaw === 'self-signed'
        ? await createAuthority(key, subject, 1, Date.now())
        : flaw === 'expired'
          ? await issueCertificate(pki.ca, { key, subject, usage: 'client', days: 1 }, Date.now() - 3 * DAY_MS)
          : await issueCertificate(pki.ca, { key, subject, usage: 'server', days: 1 }, Date.now());
    const via = agent({ key, cert });
    const { code, body } = await ask(via);
    expect(code).toBe(401);
    expect(body.cause).toMatch(/^client certificate: /);
    expect((await ask(via, 'Bearer good')).body.user?.name, 'another method may still succeed').toBe('alice');
  },
);

test('a certificate that ends while its connection is open', async () => {
  authenticator = make();
  const via = agent(await clientCertificate({ commonName: 'brief' }));
  expect((await ask(via)).code).toBe(200);
  clock += 2 * DAY_MS;
  expect(await ask(via)).toMatchObject({ code: 401, body: { cause: expect.stringContaining('expired since') } });
  clock = Date.now();
});

test('a certificate without a common name is no user', async () => {
  authenticator = make();
  expect((await ask(agent(await clientCertificate({ commonName: '', organizations: ['dev'] })))).body.method).toBe(
    'anonymous',
  );
});

test('bearer tokens', async () => {
  authenticator = make();
  const via = agent();
  expect(await ask(via, 'Bearer good')).toMatchObject({
    code: 200,
    body: { user: { name: 'alice', uid: 'u1', groups: ['dev', 'system:authenticated'] }, method: 'token' },
  });
  for (const wrong of ['Bearer wrong', 'bearer GOOD']) {
    expect(await ask(via, wrong)).toEqual({
      code: 401,
      reused: expect.any(String),
      body: {
        status: expect.objectContaining({ kind: 'Status', reason: 'Unauthorized', message: 'Unauthorized', code: 401 }),
        cause: 'invalid bearer token',
      },
    });
  }
  const waiting = createAuthenticator({
    anonymous: true,
    tokenVerifiers: [{ verify: async () => undefined }, { verify: async (token) => tokens.verify(token) }],
  });
  authenticator = waiting;
  expect((await ask(via, 'Bearer good')).body.user?.name).toBe('alice');
});

test('a verifier that fails keeps no other from knowing the token, and why nobody knows it is told', async () => {
  const failing: TokenVerifier = { verify: () => Promise.reject(new Error('the webhook is down')) };
  const knowing = audienceAgnostic(tokens, ['api', 'other']);
  const { authenticate } = createAuthenticator({ anonymous: true, tokenVerifiers: [failing, knowing, failing] });
  const request = (token: string) => ({ socket: new Socket(), headers: { authorization: `Bearer ${token}` } });
  expect(await authenticate(request('good'))).toMatchObject({ user: { name: 'alice' }, audiences: ['api', 'other'] });
  expect(await authenticate(request('good'), ['x', 'other'])).toMatchObject({ audiences: ['other'] });
  const cause = (audiences?: string[]) => authenticate(request('bad'), audiences).catch((error) => error.cause.message);
  expect(await cause()).toBe('the webhook is down');
  const two = createAuthenticator({
    anonymous: true,
    tokenVerifiers: [failing, { verify: () => Promise.reject(new Error('expired')) }],
  });
  const refused = two.authenticate(request('bad'));
  await expect(refused).rejects.toMatchObject({ code: 401, cause: { message: '[the webhook is down, expired]' } });
  await expect(authenticate(request('good'), ['x'])).rejects.toMatchObject({ code: 401 });
});

test('a token is good beside a certificate that is not', async () => {
  authenticator = make();
  const stranger = agent(await clientCertificate({ commonName: 'eve' }, { usage: 'server' }));
  expect((await ask(stranger)).code).toBe(401);
  expect((await ask(stranger, 'Bearer good')).body.user?.name).toBe('alice');
  expect((await ask(stranger, 'Bearer bad')).body.cause).toMatch(/^\[client certificate: .*, invalid bearer token\]$/);
});

test('anonymous, on and off', async () => {
  authenticator = make();
  expect(await ask(agent())).toEqual({
    code: 200,
    reused: 'false',
    body: { user: { name: 'system:anonymous', groups: ['system:unauthenticated'], extra: {} }, method: 'anonymous' },
  });
  expect((await ask(agent(), 'Basic Z29vZA==')).body.method).toBe('anonymous');
  authenticator = make(false);
  expect((await ask(agent())).code).toBe(401);
});

test('certificates are not looked at when the method is off, nor on plain connections', async () => {
  authenticator = createAuthenticator({ tokenVerifiers: [], anonymous: true });
  expect((await ask(agent(pki.admin))).body.method).toBe('anonymous');
  authenticator = make();
  const plain = createPlainServer(async (req, res) => res.end((await authenticator.authenticate(req)).method));
  plain.listen(0, '127.0.0.1');
  await once(plain, 'listening');
  const req = plainRequest({ host: '127.0.0.1', port: (plain.address() as AddressInfo).port, agent: false }).end();
  const [res] = await once(req, 'response');
  res.setEncoding('utf8');
  expect((await once(res, 'data'))[0]).toBe('anonymous');
  plain.close();
});

test('the Authorization header', () => {
  expect(bearerToken('Bearer x')).toBe('x');
  expect(bearerToken('  bEaReR x  ')).toBe('x');
  expect(bearerToken('Bearer x y')).toBe('x');
  expect(bearerToken('\tBearer x\t'), 'around it').toBe('x');
  expect(bearerToken('Bearer x\u00a0'), 'a part of it').toBe('x\u00a0');
  for (const none of [undefined, '', 'Bearer', 'Bearer ', 'Bearer  x', 'Basic x', 'x'])
    expect(bearerToken(none)).toBeUndefined();
});

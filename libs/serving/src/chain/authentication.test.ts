import type { IncomingMessage, ServerResponse } from 'node:http';
import { authenticated } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { silentLogger } from '@orch/runtime';
import { contextOf } from '@orch/testing';
import { describe, expect, it, test } from 'vitest';
import { authentication } from './authentication.js';

test('what there is to be told of a credential stands in the audit log', async () => {
  const user = { name: 'robot', groups: [], extra: {} };
  const annotations = { 'authentication.k8s.io/stale-token': 'subject: robot, seconds after warning threshold: 7' };
  const authenticate = async () => ({ ...authenticated(user, 'token'), annotations });
  const req = { method: 'GET', url: '/api', headers: {}, rawHeaders: [], socket: {} } as unknown as IncomingMessage;
  const ctx = contextOf(req, {} as ServerResponse);
  const settings = { authenticator: { authenticate }, names: namesOf('kubernetes'), logger: silentLogger };
  await authentication(settings)(ctx);
  expect(Object.fromEntries(ctx.annotations)).toEqual(annotations);
  expect(ctx.user.name).toBe('robot');
});

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

describe('a client certificate, which a browser sends with whatever a page asks for,', () => {
  const user = { name: 'jane', groups: [], extra: {} };
  const ask = async (
    method: string,
    origin: string | undefined,
    how: 'x509' | 'token' = 'x509',
    host: Record<string, string> = { host: 'api.example:6443' },
    agent: string | undefined = BROWSER,
  ) => {
    const headers = {
      ...host,
      ...(origin !== undefined && { origin }),
      ...(agent !== undefined && { 'user-agent': agent }),
    };
    const req = { method, url: '/api', headers, rawHeaders: [], socket: {} } as unknown as IncomingMessage;
    const ctx = contextOf(req, {} as ServerResponse);
    const authenticator = { authenticate: async () => authenticated(user, how) };
    const reported = authentication({ authenticator, names: namesOf('kubernetes'), logger: silentLogger })(ctx);
    const refused = await Promise.resolve(reported).then(
      () => undefined,
      (error: { code?: number }) => error.code,
    );
    return { refused, user: ctx.user.name };
  };

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('changes nothing for pages of another origin: %s', async (method) => {
    for (const origin of ['https://evil.example', 'null', 'https://api.example']) {
      expect(await ask(method, origin)).toEqual({ refused: 403, user: 'jane' });
    }
    for (const origin of [undefined, 'https://api.example:6443']) {
      expect(await ask(method, origin)).toEqual({ refused: undefined, user: 'jane' });
    }
    expect((await ask(method, 'https://evil.example', 'token')).refused).toBeUndefined();
    const overHttp2 = { ':authority': 'api.example:6443' };
    expect((await ask(method, 'https://api.example:6443', 'x509', overHttp2)).refused).toBeUndefined();
    expect((await ask(method, 'https://evil.example', 'x509', overHttp2)).refused).toBe(403);
  });

  it.each(['e2e.test/v1.27.16 (linux/amd64) kubernetes/0', ''])(
    'may be used with any origin by what is no browser: %j',
    async (agent) => {
      // Go's WebSockets are never without one.
      const asked = await ask('POST', 'http://localhost', 'x509', { host: 'api.example:6443' }, agent);
      expect(asked).toEqual({ refused: undefined, user: 'jane' });
    },
  );

  it.each(['cross-site', 'same-site', 'none'])(
    'changes nothing for pages of browsers of any name: from %s',
    async (site) => {
      const browser = { host: 'api.example:6443', 'sec-fetch-site': site };
      const asked = (origin: string | undefined) => ask('POST', origin, 'x509', browser, 'Ladybird/1.0');
      expect((await asked('https://evil.example')).refused).toBe(403);
      expect((await asked('https://api.example:6443')).refused).toBeUndefined();
      expect((await asked(undefined)).refused).toBeUndefined();
    },
  );

  it.each(['GET', 'HEAD', 'OPTIONS'])('reads what no such page is shown: %s', async (method) => {
    expect((await ask(method, 'https://evil.example')).refused).toBeUndefined();
  });
});

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createAuthenticator, requestHeaderNames } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { silentLogger } from '@orch/runtime';
import { contextOf } from '@orch/testing';
import { expect, test } from 'vitest';
import { authentication } from './authentication.js';

const CLAIMS = {
  'x-remote-user': 'root',
  'x-remote-group': 'system:masters',
  'x-remote-extra-scopes': 'all',
  'x-person': 'root',
  'x-team': 'system:masters',
  'x-more-scopes': 'all',
};

/** Headers of a request of nobody that are left for whoever comes after authentication. */
async function leftOf(requestHeaders?: ReturnType<typeof requestHeaderNames>): Promise<string[]> {
  const headers = { host: 'x', accept: 'application/json', ...CLAIMS };
  const req = { method: 'GET', url: '/api', headers, rawHeaders: [], socket: {} } as unknown as IncomingMessage;
  const authenticator = createAuthenticator({
    tokenVerifiers: [],
    anonymous: true,
    ...(requestHeaders && { requestHeaders }),
  });
  const ctx = contextOf(req, {} as ServerResponse);
  await authentication({ authenticator, names: namesOf('kubernetes'), logger: silentLogger })(ctx);
  expect(ctx.user.name).toBe('system:anonymous');
  return Object.keys(req.headers);
}

test('what anybody says where front proxies do is known to nobody further on', async () => {
  expect(await leftOf()).toEqual(['host', 'accept', 'x-person', 'x-team', 'x-more-scopes']);
});

test('where front proxies say it is a matter of options', async () => {
  const names = requestHeaderNames(['X-Person'], ['X-Team'], ['X-More-']);
  expect(await leftOf(names)).toEqual(['host', 'accept', 'x-remote-user', 'x-remote-group', 'x-remote-extra-scopes']);
});

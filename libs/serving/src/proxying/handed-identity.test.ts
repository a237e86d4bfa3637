import type { IncomingHttpHeaders } from 'node:http';
import { authenticated, type UserInfo } from '@orch/authentication';
import { contextOf, openServer } from '@orch/testing';
import { expect, onTestFinished, test } from 'vitest';
import { HandedStreams } from './handed-streams.js';
import { WatchProxy } from './watch-proxy.js';

const ADMIN: UserInfo = { name: 'admin', groups: ['system:masters'], uid: '1', extra: { scopes: ['all'] } };
const JANE: UserInfo = { name: 'jane', groups: ['dev', 'system:authenticated'], extra: {} };

/** Headers that a gateway gets with a watch. @param who who really asks, and as whom */
async function handedOn(real: UserInfo, user: UserInfo, endsAt?: number): Promise<IncomingHttpHeaders> {
  let seen: IncomingHttpHeaders = {};
  const gateway = await openServer((req, res) => {
    seen = req.headers;
    res.end();
  });
  const handed = new HandedStreams();
  const proxy = new WatchProxy(
    [`http://127.0.0.1:${gateway.port}`],
    () => ({ servingCa: undefined, gatewayClient: undefined }),
    handed,
  );
  const front = await openServer((req, res) => {
    const authentication = authenticated(real, 'token', endsAt);
    void proxy.hand(contextOf(req, res, { user, authentication }));
  });
  onTestFinished(() => Promise.all([front.close(), gateway.close()]).then(() => undefined));
  await front.ask('/api/v1/pods?watch=1');
  return seen;
}

test('a gateway judges the watch of who is impersonated, and knows nothing of who really asks', async () => {
  const headers = await handedOn(ADMIN, JANE, Date.UTC(2030, 0, 2));
  const said = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-remote-')));
  expect(said).toEqual({
    'x-remote-encoding': 'percent',
    'x-remote-user': 'jane',
    'x-remote-group': 'dev,system%3Aauthenticated',
    // That of the credential: who is impersonated has none.
    'x-remote-expires': '2030-01-02T00:00:00.000Z',
  });
});

test('what holds for ever has no end there', async () => {
  expect(await handedOn(JANE, JANE)).not.toHaveProperty('x-remote-expires');
});

import { describe, expect, test } from 'vitest';
import { rawExchange } from '../support/raw-exchange.js';
import { type AttackStage, CORE, expectRefused } from './stage.js';

const SERVICES = `${CORE}/services`;
const ROOT = 'root-of-all';
const MASTERS = 'system:masters';

type Headers = Readonly<Record<string, string>>;

/** Headers by which somebody says to be somebody else; none of them is a front proxy's of the one who sends them. */
const SMUGGLED: readonly Headers[] = [
  { 'X-Remote-User': ROOT, 'X-Remote-Group': MASTERS },
  { 'x-remote-user': ROOT, 'x-remote-group': MASTERS, 'X-Remote-Encoding': 'percent' },
  { 'X-Else': ROOT, 'X-Remote-Group': MASTERS },
  { X_Remote_User: ROOT, X_Remote_Group: MASTERS },
  { 'X-Remote-User': `${ROOT}, ${ROOT}`, 'X-Remote-Group': `${MASTERS},${MASTERS}` },
  { 'X-Remote-User': ROOT, 'X-Remote-Expires': '2099-01-01T00:00:00Z', 'X-Remote-Audited': 'true' },
  { 'X-Remote-Uid': ROOT, 'X-Remote-Extra-Scopes': 'all' },
  { Connection: 'X-Remote-User, X-Remote-Group', 'X-Remote-User': ROOT, 'X-Remote-Group': MASTERS },
  { 'X-Forwarded-User': ROOT, 'X-Forwarded-For': '127.0.0.1', 'X-Real-Ip': '127.0.0.1', Forwarded: 'for=127.0.0.1' },
  { 'Proxy-Authorization': 'Bearer admin', Cookie: 'user=admin' },
];

/** Header smuggling past request headers and through the hand-over (issue 14, "It must show"; spec: "Authenticating proxy"). */
export function headerAttacks(stage: AttackStage): void {
  describe('headers that say who asks [Authenticating proxy]', () => {
    test('from nobody, from a token and from a certificate change nothing, on either tier', async () => {
      const { cert, key } = stage.openssl.leaf('jane', stage.authority('ca'), {
        subject: '/CN=jane',
        usage: 'clientAuth',
      });
      for (const [how, expected] of [
        [{}, undefined],
        [{ token: stage.tokenOf('mallory') }, 'mallory'],
        [{ certificate: { cert, key } }, 'jane'],
      ] as const) {
        for (const api of stage.clients(how)) {
          for (const headers of SMUGGLED) {
            const found = await stage.whoIs(api, headers);
            const what = `${expected} with ${JSON.stringify(headers)}`;
            // Nobody may not ask who it is.
            if (expected === undefined) expect.soft(found, what).toBe(403);
            else expect.soft(found, what).toMatchObject({ name: expected });
            expect.soft(JSON.stringify(found), what).not.toContain(MASTERS);
          }
        }
      }
    });

    test('do not get through the hand-over of a watch to a gateway, which keeps who asks', async () => {
      for (const api of stage.as('mallory')) {
        for (const headers of SMUGGLED) {
          const what = JSON.stringify(headers);
          expectRefused(await api.get('/api/v1/secrets?watch=1', headers), what, [403]);
          const own = await api.watch(`${SERVICES}?watch=1&timeoutSeconds=30`, headers);
          expect.soft(own.status, what).toBe(200);
          own.close();
        }
      }
    });

    test('are not believed from a front proxy that is none of the installation, where they are written as by one', async () => {
      const proxies = stage.authority('front-proxy-ca');
      const other = stage.openssl.leaf('other-proxy', proxies, { subject: '/CN=other-proxy', usage: 'clientAuth' });
      const stranger = stage.openssl.leaf('stranger', proxies, { subject: '/CN=stranger', usage: 'clientAuth' });
      const own = { 'X-Remote-User': 'a', 'X-Remote-Group': MASTERS, 'X-Remote-Encoding': 'percent' };
      for (const api of stage.clients({ certificate: other })) {
        expect(await stage.whoIs(api, own)).toBe(401);
        expect(await stage.whoIs(api, { ...own, 'X-Remote-Encoding': 'none' })).toBe(401);
        expect(await stage.whoIs(api, {})).toBe(401);
        expect(await stage.whoIs(api, { 'X-Remote-User': 'ann' })).toMatchObject({ name: 'ann' });
      }
      for (const api of stage.clients({ certificate: stranger })) {
        for (const headers of [own, { 'X-Remote-User': 'ann' }, {}] as Headers[])
          expect(await stage.whoIs(api, headers)).toBe(401);
      }
    });

    test('keep no request out of the audit log', async () => {
      const events = () => stage.written().get('audit.log') ?? '';
      for (const api of stage.as('mallory')) {
        const { headers } = await api.get(SERVICES, { 'X-Remote-Audited': 'true', 'X-Remote-Encoding': 'percent' });
        await expect.poll(events, { timeout: 30_000 }).toContain(String(headers['audit-id']));
      }
    });

    test('count for nothing behind the body, nor as a parameter', async () => {
      for (const { url } of stage.tiers) {
        const head = `host: x\r\nauthorization: Bearer ${stage.tokenOf('mallory')}\r\nconnection: close\r\n`;
        const chunked = `${head}transfer-encoding: chunked\r\ntrailer: X-Remote-User, Impersonate-User, Authorization\r\n\r\n`;
        const trailers = `0\r\nX-Remote-User: admin\r\nX-Remote-Group: ${MASTERS}\r\nImpersonate-User: admin\r\nAuthorization: Bearer ${stage.cluster.token}\r\n\r\n`;
        const said = await rawExchange(
          { url, ca: stage.cluster.ca },
          `GET /api/v1/secrets HTTP/1.1\r\n${chunked}${trailers}`,
        );
        expect(said).toMatch(/^HTTP\/1\.1 403 /);
      }
      // Not one of those that are looked for later: what a client puts into its URL is in the audit log.
      const token = 'of-one-who-may-do-everything';
      stage.known.set(token, { username: 'everything', groups: [MASTERS] });
      for (const api of stage.clients({ token })) expect((await api.get('/api/v1/secrets?limit=1')).status).toBe(200);
      for (const api of stage.clients({})) {
        for (const name of ['access_token', 'token', 'authorization', 'bearer_token'])
          expectRefused(await api.get(`/api/v1/secrets?${name}=${token}`), name);
        const basic = Buffer.from(`everything:${token}`).toString('base64');
        expectRefused(await api.get('/api/v1/secrets', { authorization: `Basic ${basic}` }), 'basic');
      }
    });
  });

  describe('headers that ask to act as others [Impersonation]', () => {
    const asked: readonly Headers[] = [
      { 'Impersonate-User': 'admin' },
      { 'Impersonate-User': 'admin', 'Impersonate-Group': MASTERS },
      { 'Impersonate-User': 'mallory', 'Impersonate-Group': MASTERS },
      { 'Impersonate-User': 'system:serviceaccount:kube-system:default' },
      { 'Impersonate-User': 'system:node:n1', 'Impersonate-Group': 'system:nodes' },
      { 'Impersonate-User': 'mallory', 'Impersonate-Uid': '1' },
      { 'Impersonate-User': 'mallory', 'Impersonate-Extra-Scopes': 'all' },
      { Connection: 'Impersonate-User, Impersonate-Group', 'Impersonate-User': 'admin', 'Impersonate-Group': MASTERS },
    ];

    test('are refused who has no right to it, for reads, watches and writes of either tier', async () => {
      for (const api of stage.as('mallory')) {
        for (const headers of asked) {
          const what = JSON.stringify(headers);
          expectRefused(await api.get(SERVICES, headers), what, [403]);
          expectRefused(await api.get(`${SERVICES}?watch=1`, headers), what, [403]);
          expectRefused(await api.request('DELETE', `${CORE}/secrets/crown`, { headers }), what, [403]);
        }
      }
    });

    test('are 400 without a user, never passed over', async () => {
      for (const api of stage.as('mallory')) {
        for (const headers of [
          { 'Impersonate-Group': MASTERS },
          { 'Impersonate-Uid': '1' },
          { 'Impersonate-Extra-Scopes': 'all' },
          { 'Impersonate-User': '' },
          { 'Impersonate-Users': 'admin' },
          { 'Impersonate-User': 'mallory', 'Impersonate-Groups': MASTERS },
        ] as Headers[])
          expectRefused(await api.get(SERVICES, headers), JSON.stringify(headers), [400]);
      }
    });

    test('take no one along to whom a watch is handed: a member of system:masters acts with the rights of the other', async () => {
      for (const api of stage.clients({ token: stage.cluster.token })) {
        const headers = { 'Impersonate-User': 'eve' };
        expectRefused(await api.get('/api/v1/secrets?watch=1', headers), 'watch', [403]);
        expectRefused(await api.get('/api/v1/secrets', headers), 'list', [403]);
      }
    });
  });
}

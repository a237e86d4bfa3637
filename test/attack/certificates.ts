import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Api } from '../support/api.js';
import { type AttackStage, expectRefused } from './stage.js';

/** Certificates that are good for something else, or were (issue 14, "It must show"; spec: "Client certificate"). */
export function certificateAttacks(stage: AttackStage): void {
  const subject = '/O=system:masters/CN=admin';

  /** Expects a running server to refuse the certificates explicitly. */
  async function expectStranger(api: Api, what: string): Promise<void> {
    expectRefused(await api.get('/api/v1/secrets'), what, [401]);
  }

  test('a certificate that is made in the same way by the right authority is let in', async () => {
    const certificate = stage.openssl.leaf('right', stage.authority('ca'), { subject, usage: 'clientAuth' });
    for (const api of stage.clients({ certificate }))
      expect((await api.get('/api/v1/secrets?limit=1')).status).toBe(200);
  });

  describe('a certificate stands for nobody [Client certificate]', () => {
    test('of another authority, of none, or of one that calls itself as the right one', async () => {
      const namesake = stage.openssl.authority('kubernetes-ca');
      const others = {
        'another authority': stage.openssl.leaf('by-another', namesake, { subject, usage: 'clientAuth' }),
        'by itself': stage.openssl.authority('admin-by-itself'),
        'the authority of signers of requests’ servers': stage.openssl.leaf(
          'by-serving',
          stage.openssl.authority('orch-ca'),
          { subject, usage: 'clientAuth' },
        ),
      };
      for (const [what, certificate] of Object.entries(others))
        for (const api of stage.clients({ certificate })) await expectStranger(api, what);
    });

    test('made for servers, or that has ended', async () => {
      const ca = stage.authority('ca');
      const serving = stage.openssl.leaf('serving', ca, { subject, usage: 'serverAuth' });
      const endsAt = Math.floor(Date.now() / 1000) * 1000 - 10_000;
      const ended = stage.openssl.leaf('ended', ca, { subject, usage: 'clientAuth', endsAt });
      for (const [what, certificate] of Object.entries({ serving, ended }))
        for (const api of stage.clients({ certificate })) await expectStranger(api, what);
    });

    test('signed with a certificate that is no authority’s', async () => {
      const admin = stage.openssl.leaf('leaf', stage.authority('ca'), { subject: '/CN=jane', usage: 'clientAuth' });
      const below = stage.openssl.leaf('below', admin, { subject, usage: 'clientAuth' });
      const chain = { cert: below.cert + admin.cert, key: below.key };
      for (const api of stage.clients({ certificate: chain })) await expectStranger(api, 'below a leaf');
    });

    test('of the authority of front proxies, whatever its groups', async () => {
      const proxies = stage.authority('front-proxy-ca');
      for (const name of ['admin', 'front-proxy-client']) {
        const certificate = stage.openssl.leaf('proxy', proxies, {
          subject: `/O=system:masters/CN=${name}`,
          usage: 'clientAuth',
        });
        for (const api of stage.clients({ certificate })) expectRefused(await api.get('/api/v1/secrets'), name, [401]);
      }
    });

    test('of the servers themselves, but in its one direction', async () => {
      const pki = (name: string, end: string) => readFileSync(join(stage.dir, 'pki', `${name}.${end}`), 'utf8');
      const masters = { 'X-Remote-User': 'root', 'X-Remote-Group': 'system:masters' };
      const claims = [masters, { ...masters, 'X-Remote-Encoding': 'percent' }];
      const path = '/api/v1/namespaces/default/secrets';
      for (const name of ['aggregator', 'gateway-client']) {
        const certificate = { cert: pki(name, 'crt'), key: pki(name, 'key') };
        for (const [tier, api] of stage.clients({ certificate }).entries()) {
          for (const headers of claims) {
            const what = `${name} to ${stage.tiers[tier]?.url} with ${JSON.stringify(headers)}`;
            expectRefused(await api.get(path, headers), what, [401]);
            expectRefused(await api.request('DELETE', `${path}/crown`, { headers }), what, [401]);
            expect(await stage.whoIs(api, headers), what).toBe(401);
          }
        }
      }
      const certificate = { cert: pki('gateway-client', 'crt'), key: pki('gateway-client', 'key') };
      const statuses = async (urls: readonly string[]) => {
        const found: number[] = [];
        for (const url of urls) {
          const stream = await stage.client(url, { certificate }).watch(`${path}?watch=1&timeoutSeconds=5`, claims[1]);
          found.push(stream.status);
          stream.close();
        }
        return found;
      };
      expect(await statuses(stage.cluster.gatewayUrls), 'a watch of a gateway').toEqual([200]);
      expect(await statuses(stage.cluster.apiServerUrls), 'a watch of an api-server').toEqual([401]);
    });

    test('and one of a caller stands for that caller, not for a front proxy of its name', async () => {
      const certificate = stage.openssl.leaf('namesake', stage.authority('ca'), {
        subject: '/CN=front-proxy-client',
        usage: 'clientAuth',
      });
      const headers = { 'X-Remote-User': 'admin', 'X-Remote-Group': 'system:masters', 'X-Remote-Encoding': 'percent' };
      for (const api of stage.clients({ certificate }))
        expect(await stage.whoIs(api, headers)).toEqual({
          name: 'front-proxy-client',
          groups: ['system:authenticated'],
        });
    });
  });
}

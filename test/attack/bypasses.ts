import { describe, expect, test } from 'vitest';
import type { Answer, Api, ApiList } from '../support/api.js';
import { rawExchange } from '../support/raw-exchange.js';
import { type AttackStage, CORE, expectRefused, MAPS, SHOWN } from './stage.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

/** Subresource and watch bypass on either tier, and writes that create (issue 14, "It must show"; spec: "Path shapes", "Watch behavior"). */
export function bypassAttacks(stage: AttackStage): void {
  describe('who may get may not watch or list [Watch behavior]', () => {
    const collection = `${CORE}/pods`;
    test.each([
      collection,
      `${collection}?watch=1`,
      `${collection}?watch=true`,
      `${collection}?watch=T`,
      `${collection}?watch`,
      `${collection}?watch=`,
      `${collection}?watch=0&watch=1`,
      `${collection}?watch=1&watch=0`,
      `${collection}?Watch=1`,
      `${collection}/?watch=1`,
      `${collection}?fieldSelector=metadata.name%3Dweb`,
      `${collection}?watch=1&fieldSelector=metadata.name%3Dweb`,
      `${collection}/web?watch=1`,
      `${collection}/web?watch=true&fieldSelector=metadata.name%3Dother`,
      '/api/v1/watch/namespaces/default/pods',
      '/api/v1/watch/namespaces/default/pods/web',
      '/api/v1/watch/pods?fieldSelector=metadata.namespace%3Ddefault',
      '/api/v1/pods?fieldSelector=metadata.namespace%3Ddefault',
      '/api/v1/namespaces/default/pods?resourceVersion=0&limit=1',
    ])('GET %s', async (path) => {
      for (const api of stage.as('getter')) {
        const message = await api.open('GET', path, {});
        expect(message.statusCode, path).toBe(403);
        message.resume();
      }
    });

    test('nor with another method, nor over a WebSocket', async () => {
      for (const api of stage.as('getter')) {
        for (const method of ['HEAD', 'POST', 'OPTIONS', 'TRACE', 'PROPFIND']) {
          const answer = await api.request(method, `${collection}?watch=1`);
          expectRefused(answer, method, [403]);
        }
      }
      for (const { url } of stage.tiers) {
        const token = stage.tokenOf('getter');
        // Clients write methods in capitals, whatever they are asked for.
        for (const method of ['get', 'Get', 'GET\t', 'WATCH']) {
          const request = `${method} ${collection}?watch=1 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`;
          expect.soft(await rawExchange({ url, ca: stage.cluster.ca }, request), method).toMatch(/^HTTP\/1\.1 400 /);
        }
        const protocol = `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`;
        for (const credential of [
          `authorization: Bearer ${token}`,
          `sec-websocket-protocol: ${protocol}, v4.channel.k8s.io`,
        ]) {
          const upgrade =
            'connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==';
          const request = `GET ${collection}?watch=1 HTTP/1.1\r\nhost: x\r\n${credential}\r\n${upgrade}\r\n\r\n`;
          expect(await rawExchange({ url, ca: stage.cluster.ca }, request), credential).toMatch(/^HTTP\/1\.1 403 /);
        }
      }
    });
  });

  describe('who may list one by its name sees no other [Path shapes]', () => {
    const one = 'fieldSelector=metadata.name%3Dmine';
    const granted = async (api: Api, query: string) => {
      const answer = await api.get(`${MAPS}?${query}`);
      expect.soft(answer.text, query).not.toMatch(SHOWN);
      return answer;
    };

    test('whatever stands beside the selector', async () => {
      for (const api of stage.as('one')) {
        expect((await granted(api, one)).json().items).toHaveLength(1);
        expect((await granted(api, `${one},metadata.namespace%3Ddefault`)).json().items).toHaveLength(1);
        for (const query of [
          '',
          'fieldSelector=metadata.name%3Dcrown',
          'fieldSelector=metadata.name%21%3Dmine',
          'fieldSelector=metadata.name%3Dmine%2Cmetadata.name%3Dcrown',
          'fieldSelector=metadata.name%3Dcrown%2Cmetadata.name%3Dmine',
          `fieldSelector=metadata.name%3Dcrown&${one}`,
          `${one}&fieldSelector=metadata.name%3Dcrown`,
          `${one}&fieldSelector=`,
          `fieldSelector=&${one}`,
          `${one}&labelSelector=crown`,
          `fieldSelector=metadata.name%3D%3Dmine&labelSelector=crown%3Dyes`,
          'fieldSelector=metadata.name%20%3D%20mine',
          'fieldSelector=%20metadata.name%3Dmine',
          'fieldSelector=metadata.name%3Dmine%5C%2Ccrown',
          'fieldSelector=metadata%2Ename%3Dmine%3Bfield',
          `fieldselector=metadata.name%3Dmine`,
          `FieldSelector=metadata.name%3Dmine`,
          `${one};x=y`,
          `x=y;${one}`,
        ])
          expect.soft((await granted(api, query)).status, query).toBeLessThan(500);
      }
    });

    test('nor by the token that a page of others ends with', async () => {
      const page = await stage.admin.get(`${MAPS}?limit=1`);
      const token = encodeURIComponent(page.json<ApiList>().metadata.continue ?? '');
      const secrets = encodeURIComponent(
        (await stage.admin.get('/api/v1/secrets?limit=1')).json<ApiList>().metadata.continue ?? '',
      );
      for (const api of stage.as('one')) {
        for (const each of [token, secrets]) {
          await granted(api, `continue=${each}`);
          await granted(api, `${one}&continue=${each}&limit=500`);
        }
        await granted(api, `${one}&watch=1&continue=${token}&timeoutSeconds=1`);
      }
    });

    test('nor in a watch, in another version, nor by a deletion of the collection', async () => {
      for (const api of stage.as('one')) {
        const stream = await api.watch(`${MAPS}?watch=1&timeoutSeconds=1&${one}&labelSelector=`);
        expect(stream.status).toBe(200);
        const names = (await stream.rest()).map(({ object }) => object.metadata.name);
        expect(names.filter((name) => name !== 'mine')).toEqual([]);
        for (const query of [
          'watch=1',
          `watch=1&fieldSelector=metadata.name!%3Dmine`,
          `watch=1&allowWatchBookmarks=true`,
        ])
          expectRefused(await api.get(`${MAPS}?${query}`), query, [403]);
        expectRefused(await api.delete(`${MAPS}?${one}`), 'a deletion', [403]);
        expectRefused(await api.get(`/api/v1/configmaps?${one}`), 'all namespaces', [403]);
      }
      expect((await stage.admin.get(`${MAPS}/mine`)).status).toBe(200);
    });
  });

  describe('who may read or write an object has no right to what lies below it [Path shapes]', () => {
    const pod = `${CORE}/pods/web`;
    const requests: readonly (readonly [method: string, path: string])[] = [
      ...[
        'exec?command=id&stdout=1',
        'attach?stdout=1',
        'portforward?ports=80',
        'log',
        'proxy',
        'proxy/',
        'proxy/x/..',
      ].flatMap((below) => [['GET', `${pod}/${below}`] as const, ['POST', `${pod}/${below}`] as const]),
      ['PUT', `${pod}/status`],
      ['PATCH', `${pod}/status`],
      ['PUT', `${pod}/ephemeralcontainers`],
      ['PATCH', `${pod}/ephemeralcontainers`],
      ['POST', `${pod}/eviction`],
      ['POST', `${pod}/binding`],
      ['POST', `${CORE}/bindings`],
      ['PUT', '/api/v1/namespaces/default/finalize'],
      ['PUT', '/api/v1/namespaces/default/status'],
      ['GET', '/api/v1/nodes/n1/proxy/pods'],
      ['POST', '/api/v1/nodes/n1/proxy/run/default/web/c'],
      ['GET', `${CORE}/services/s/proxy/`],
      ['GET', '/api/v1/proxy/namespaces/default/pods/web'],
      ['DELETE', pod],
      ['DELETE', `${CORE}/pods`],
    ];

    test('whatever the method', async () => {
      for (const user of ['editor', 'getter'] as const) {
        for (const api of stage.as(user)) {
          for (const [method, path] of requests) {
            const answer: Answer = await api.request(method, path, { body: {} });
            expectRefused(answer, `${user} ${method} ${path}`, [403]);
          }
        }
      }
    });

    test('nor by a connection that is to go on as another protocol', async () => {
      for (const { url } of stage.tiers) {
        for (const protocol of ['websocket', 'SPDY/3.1', 'h2c', 'websocket, SPDY/3.1']) {
          const head = `host: x\r\nauthorization: Bearer ${stage.tokenOf('getter')}\r\nconnection: Upgrade\r\nupgrade: ${protocol}\r\n`;
          for (const method of ['GET', 'POST']) {
            const request = `${method} ${pod}/exec?command=id&stdout=1 HTTP/1.1\r\n${head}sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\ncontent-length: 0\r\n\r\n`;
            const said = await rawExchange({ url, ca: stage.cluster.ca }, request);
            expect.soft(said, `${method} ${protocol}`).toMatch(/^HTTP\/1\.1 403 /);
          }
        }
      }
    });
  });

  describe('who may change may not create [Path shapes]', () => {
    test('by a PUT or an apply of what is not there, in earnest or as a dry run', async () => {
      const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new' } };
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'new' } };
      for (const api of stage.as('editor')) {
        for (const [collection, object] of [
          [MAPS, map],
          [LEASES, lease],
        ] as const) {
          for (const dry of ['', '&dryRun=All']) {
            expectRefused(await api.put(`${collection}/new?x=1${dry}`, object), `PUT ${collection}`, [403, 404]);
            expectRefused(
              await api.apply(`${collection}/new`, 'me', object, `&force=true${dry}`),
              `apply ${collection}`,
              [403],
            );
            expectRefused(
              await api.patch(`${collection}/new?x=1${dry}`, 'merge', object),
              `patch ${collection}`,
              [404],
            );
          }
          expectRefused(await api.post(collection, object), `POST ${collection}`, [403]);
          expect((await stage.admin.get(`${collection}/new`)).status).toBe(404);
        }
        // The name of another in the body is not that of the path.
        const other = { ...map, metadata: { name: 'crown' } };
        expectRefused(await api.put(`${MAPS}/mine`, other), 'another name', [400, 422]);
        const elsewhere = { ...map, metadata: { name: 'mine', namespace: 'kube-system' } };
        expectRefused(await api.put(`${MAPS}/mine`, elsewhere), 'another namespace', [400, 422]);
      }
    });
  });
}

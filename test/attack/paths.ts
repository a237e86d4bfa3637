import { connect as connectHttp2 } from 'node:http2';
import { describe, expect, test } from 'vitest';
import { rawExchange } from '../support/raw-exchange.js';
import { type AttackStage, expectRefused, MAPS, SHOWN, type Tier } from './stage.js';

const CROWN_PATH = '/api/v1/namespaces/kube-system/secrets/crown';
/** Collection that the user mallory may list. */
const OWN = '/api/v1/namespaces/default/services';

/** Ways to write the path of what may not be seen, or to begin with one that may. */
const TRICKS: readonly string[] = [
  CROWN_PATH,
  `/${CROWN_PATH}`,
  `//x${CROWN_PATH}`,
  CROWN_PATH.replaceAll('/', '//'),
  `${CROWN_PATH}/`,
  `${CROWN_PATH}//`,
  `${CROWN_PATH}.`,
  `${CROWN_PATH};x=y`,
  `${CROWN_PATH}%00`,
  `${CROWN_PATH}%20`,
  `${CROWN_PATH}%23`,
  `${CROWN_PATH}#/healthz`,
  `${CROWN_PATH}?/healthz`,
  `/healthz?${CROWN_PATH}`,
  `/healthz#${CROWN_PATH}`,
  `/healthz/..${CROWN_PATH}`,
  `/healthz/../..${CROWN_PATH}`,
  `/healthz/%2e%2e${CROWN_PATH}`,
  `/healthz%2f..${CROWN_PATH}`,
  `/healthz\\..${CROWN_PATH.replaceAll('/', '\\')}`,
  `/version/;${CROWN_PATH}`,
  `/./${CROWN_PATH.slice(1)}`,
  `/.${CROWN_PATH}`,
  `${OWN}/../../kube-system/secrets/crown`,
  `${OWN}/..%2f..%2fkube-system%2fsecrets%2fcrown`,
  `${OWN}/%2e%2e/%2e%2e/kube-system/secrets/crown`,
  `${OWN}/%252e%252e/%252e%252e/kube-system/secrets/crown`,
  `${OWN}/..;/..;/kube-system/secrets/crown`,
  `/api/v1/namespaces/default%2f..%2fkube-system/secrets/crown`,
  `/api/v1/namespaces/default/../kube-system/secrets/crown`,
  `/api/v1/namespaces/default/services/../secrets/crown`,
  `/api/v1/namespaces/default/services%2f..%2fsecrets/crown`,
  `/api/v1/namespaces/default/services;/secrets/crown`,
  CROWN_PATH.replace('secrets', 'Secrets'),
  CROWN_PATH.replace('secrets', 'SECRETS'),
  CROWN_PATH.replace('secrets', 'secret'),
  CROWN_PATH.replace('secrets', '%73ecrets'),
  CROWN_PATH.replace('secrets', 'secrets%20'),
  CROWN_PATH.replace('secrets', 'secrets.'),
  CROWN_PATH.replace('secrets', 'secrets.v1'),
  CROWN_PATH.replace('api', 'API'),
  CROWN_PATH.replace('api', '%61pi'),
  CROWN_PATH.replace('/api/v1', '/apis//v1'),
  CROWN_PATH.replace('/api/v1', '/apis/core/v1'),
  CROWN_PATH.replace('/api/v1', '/apis/%20/v1'),
  CROWN_PATH.replace('/api/v1', '/api/v1%2f'),
  CROWN_PATH.replace('/v1/', '/V1/'),
  CROWN_PATH.replace('/v1/', '/v1/watch/'),
  CROWN_PATH.replace('/v1/', '/v1/watch/watch/'),
  CROWN_PATH.replace('/v1/', '/v1/proxy/'),
  CROWN_PATH.replace('/v1/', '/v1/%77atch/'),
  CROWN_PATH.replace('kube-system', 'KUBE-SYSTEM'),
  CROWN_PATH.replace('kube-system', 'kube-system.'),
  CROWN_PATH.replace('namespaces', 'Namespaces'),
  `${CROWN_PATH}/status`,
  `${CROWN_PATH}/proxy`,
  `${CROWN_PATH}/crown`,
  '/api/v1/secrets',
  '/api/v1/secrets?watch=1&timeoutSeconds=1',
  '/api/v1/watch/secrets?timeoutSeconds=1',
  '/api/v1/namespaces//secrets',
  '/api/v1/namespaces/*/secrets',
  '/api/v1/namespaces/kube-system/secrets?fieldSelector=metadata.name%3Dcrown',
  '/api/v1/namespaces/kube-system/secrets?limit=1&labelSelector=crown',
  `${OWN}?continue=/kube-system/secrets`,
];

/** Hundreds of connections, on a machine that has much else to do. */
const MANY_MS = 120_000;

const METHODS_BY_HEADER = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'];

/** Path tricks, and bytes that two readers take for different requests (issue 14, "It must show"; spec: "Path shapes"). */
export function pathAttacks(stage: AttackStage): void {
  /** Sends a raw request. Returns the answer. */
  const said = ({ url }: Tier, request: string, until?: 'head' | 'end') =>
    rawExchange({ url, ca: stage.cluster.ca }, request, until);
  const head = () => `host: x\r\nauthorization: Bearer ${stage.tokenOf('mallory')}\r\n`;

  describe('ways to write a path [Path shapes]', () => {
    test(
      'lead to nothing that is not granted, over HTTP/1.1, with and without an authority before them',
      async () => {
        for (const tier of stage.tiers) {
          for (const [at, trick] of TRICKS.entries()) {
            for (const target of [trick, at % 2 ? `http://localhost${trick}` : `HTTPS://x:1@y${trick}`]) {
              const answer = await said(tier, `GET ${target} HTTP/1.1\r\n${head()}connection: close\r\n\r\n`, 'end');
              const what = `${tier.name} ${target}: ${answer.slice(0, 200)}`;
              expect.soft(answer, what).not.toMatch(SHOWN);
              expect.soft(answer, what).toMatch(/^HTTP\/1\.1 (?:4\d\d|200) |^$/);
              // What answers 200 begins with what everybody may see.
              if (answer.startsWith('HTTP/1.1 200')) expect.soft(trick, what).toMatch(/^\/healthz\?/);
            }
          }
        }
      },
      MANY_MS,
    );

    test(
      'nor over HTTP/2, where a target may hold other characters',
      async () => {
        for (const { name, url } of stage.tiers) {
          const session = connectHttp2(url, { ca: stage.cluster.ca });
          session.on('error', () => undefined);
          for (const path of [...TRICKS, `${CROWN_PATH}\u00a0`, '/metrics\u00a0', '/metrics\ufeff', '/metrics#'])
            for (const more of [{}, { ':authority': 'x/api/v1/secrets' }]) {
              const stream = session.request({
                ':path': path,
                authorization: `Bearer ${stage.tokenOf('mallory')}`,
                ...more,
              });
              let [status, text] = [0, ''];
              stream.on('response', (headers) => {
                status = Number(headers[':status']);
              });
              await new Promise<void>((resolve) => {
                stream.setEncoding('utf8');
                stream.on('data', (piece: string) => {
                  text += piece;
                });
                stream.on('error', () => undefined);
                stream.on('close', () => resolve());
              });
              const what = `${name} ${JSON.stringify(path)}: ${status} ${text.slice(0, 200)}`;
              expect.soft(text, what).not.toMatch(SHOWN);
              if (!path.startsWith('/healthz?')) expect.soft([0, 400, 401, 403, 404, 405], what).toContain(status);
            }
          session.destroy();
        }
      },
      MANY_MS,
    );

    test('that differ in nothing but case, an escape or a slash at the end are other paths for what is no resource too', async () => {
      for (const api of stage.clients({ token: stage.cluster.token })) {
        for (const path of [
          '/METRICS',
          '/metrics/',
          '/%6detrics',
          '/metrics;',
          '//metrics',
          '/metrics/.',
          '/Apis',
          '/apis/%61pps',
        ])
          expect.soft((await api.get(path)).status, path).toBe(404);
      }
    });

    test('a method in a header is none', async () => {
      for (const api of stage.as('editor')) {
        for (const name of METHODS_BY_HEADER) {
          const { status, text } = await api.request('GET', `${MAPS}/mine?_method=DELETE`, {
            headers: { [name]: 'DELETE' },
          });
          expect(status, text).toBe(200);
          expect(JSON.parse(text).kind).toBe('ConfigMap');
        }
      }
    });
  });

  describe('bytes of which two readers would make different requests [Errors]', () => {
    const inner = () =>
      `GET ${CROWN_PATH} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${stage.cluster.token}\r\nx-inner: 1\r\n\r\n`;

    test('are refused, or read as one request alone', async () => {
      const body = inner();
      const smuggled = (headers: string, sent: string) => `POST ${OWN} HTTP/1.1\r\n${head()}${headers}\r\n${sent}`;
      const length = body.length;
      const attempts = [
        smuggled(`content-length: ${length}\r\ntransfer-encoding: chunked\r\n`, `0\r\n\r\n${body}`),
        smuggled(`transfer-encoding: chunked\r\ncontent-length: ${length}\r\n`, `0\r\n\r\n${body}`),
        smuggled(`content-length: 0\r\ncontent-length: ${length}\r\n`, body),
        smuggled(`content-length: 0, ${length}\r\n`, body),
        smuggled(`content-length: +${length}\r\n`, body),
        smuggled(`content-length: 0x${length.toString(16)}\r\n`, body),
        smuggled(`content-length : 0\r\n`, body),
        smuggled('transfer-encoding: xchunked\r\n', `0\r\n\r\n${body}`),
        smuggled('transfer-encoding: chunked, identity\r\n', `0\r\n\r\n${body}`),
        smuggled('transfer-encoding: gzip, chunked\r\n', `0\r\n\r\n${body}`),
        smuggled('transfer-encoding: identity\r\ntransfer-encoding: chunked\r\n', `0\r\n\r\n${body}`),
        smuggled('transfer-encoding:\u000bchunked\r\n', `0\r\n\r\n${body}`),
        smuggled(' transfer-encoding: chunked\r\n', `0\r\n\r\n${body}`),
        smuggled('transfer-encoding: chunked\r\n', `1;${'x'.repeat(10)}\nZ\r\n0\r\n\r\n${body}`),
        smuggled('transfer-encoding: chunked\r\n', `-1\r\n\r\n${body}`),
        smuggled(`x: y\rcontent-length: ${length}\r\n`, body),
        smuggled(`x: y\ncontent-length: ${length}\n`, body),
        ...['', ' HTTP/0.9', ' HTTP/2.0'].map((version) => `GET /version${version}\r\n${head()}\r\n`),
      ];
      for (const tier of stage.tiers) {
        for (const attempt of attempts) {
          const answer = await said(tier, attempt.replace('connection: close', ''), 'head');
          const what = `${tier.name} ${JSON.stringify(attempt.slice(0, 220))}: ${answer.slice(0, 300)}`;
          expect.soft(answer, what).toMatch(/^$|^HTTP\/1\.1 (?:4\d\d|50[15]) /);
          expect.soft(answer, what).not.toMatch(SHOWN);
        }
      }
    });

    test('several hosts, or none, change nobody’s path', async () => {
      for (const tier of stage.tiers) {
        for (const hosts of [
          '',
          'host: a\r\nhost: b\r\n',
          `host: x${CROWN_PATH}\r\n`,
          'host: a b\r\n',
          'host: a,b\r\n',
        ]) {
          const request = `GET ${CROWN_PATH} HTTP/1.1\r\n${hosts}authorization: Bearer ${stage.tokenOf('mallory')}\r\nconnection: close\r\n\r\n`;
          const answer = await said(tier, request, 'end');
          expect.soft(answer, hosts).toMatch(/^$|^HTTP\/1\.1 4\d\d /);
          expect.soft(answer, hosts).not.toMatch(SHOWN);
        }
      }
    });

    test('what lies in the body of a watch that is handed on is no request to the gateway', async () => {
      const audit = () => stage.written().get('audit.log') ?? '';
      const [tier] = stage.tiers;
      const marker = 'smuggled-through-the-hand-over';
      const body = `DELETE ${MAPS}/${marker} HTTP/1.1\r\nhost: x\r\nx-remote-user: admin\r\nx-remote-group: system%3Amasters\r\nx-remote-encoding: percent\r\n\r\n`;
      for (const framing of [
        `content-length: ${body.length}\r\n\r\n${body}`,
        `transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      ]) {
        const watch = `GET ${OWN}?watch=1&timeoutSeconds=1 HTTP/1.1\r\n${head()}connection: close\r\n${framing}`;
        expect(await said(tier as Tier, watch, 'end')).toMatch(/^HTTP\/1\.1 200 /);
      }
      // Its own request is recorded behind all that came before it.
      const answer = await stage.as('mallory')[0]?.get(OWN);
      await expect.poll(audit, { timeout: 30_000 }).toContain(String(answer?.headers['audit-id']));
      expect(audit()).not.toContain(marker);
    });
  });

  test('what others may not see is there all the while', async () => {
    for (const api of stage.as('mallory')) expectRefused(await api.get(CROWN_PATH), 'mallory', [403]);
    expect((await stage.admin.get(CROWN_PATH)).text).toMatch(SHOWN);
  });
}

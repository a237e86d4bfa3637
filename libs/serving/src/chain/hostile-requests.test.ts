import { VERSION } from '@orch/apiserver';
import { authenticated } from '@orch/authentication';
import { ALLOW, type Authorizer, NO_OPINION, type RequestAttributes } from '@orch/authorization';
import { createDiscoveryRoutes, createFallbackApp } from '@orch/discovery';
import { HealthRegistry, Metrics, silentLogger } from '@orch/runtime';
import { DEFAULT_FEATURES } from '@orch/schema';
import { listenerOf, openServer, type TestApi, type TestServer, testApi } from '@orch/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Auditor } from '../auditing/auditor.js';
import { splitTarget } from '../http/context.js';
import type { OpenContext } from './new-context.js';

const SEED = Number(process.env.FUZZ_SEED ?? 20261124);
const RUNS = Number(process.env.FUZZ_REQUESTS ?? 300);
const CROWN = 'jewel-of-the-crown';
const NAMES = ['configmaps', 'secrets', 'namespaces', 'pods'];

/** What a request was judged by, noted by the audit log, and answered by. */
interface Seen {
  judged?: RequestAttributes;
  audited?: OpenContext['info'];
  answered?: string;
}

let api: TestApi;
let server: TestServer;
let seen: Seen;
/** Whether everybody may do everything, in place of two things. */
let open: boolean;

const isGranted = ({
  verb,
  isResourceRequest,
  path,
  group,
  resource,
  subresource,
  namespace,
  name,
}: RequestAttributes) =>
  isResourceRequest
    ? [verb, group, resource, subresource, namespace, name].join() === 'get,,configmaps,,default,mine'
    : verb === 'get' && path === '/version';

beforeAll(async () => {
  api = await testApi();
  const { names, scheme } = api.deps;
  const [features, release] = [DEFAULT_FEATURES, VERSION.gitVersion];
  const app = createFallbackApp({
    health: new HealthRegistry({ logger: silentLogger }),
    metrics: new Metrics(),
    version: VERSION,
    discovery: createDiscoveryRoutes(api.served, { scheme, names, features, release }),
  });
  const authorizer: Authorizer = {
    async authorize(_user, request) {
      // Later questions are about what the request comes to.
      seen.judged ??= request;
      return open || isGranted(request) ? ALLOW : NO_OPINION;
    },
  };
  const auditor: Pick<Auditor, 'received' | 'refused'> = {
    async received(ctx) {
      seen.audited = ctx.info;
    },
    refused: () => undefined,
  };
  const caller = authenticated({ name: 'mallory', groups: [], extra: {} }, 'token');
  server = await openServer(
    listenerOf(api, {
      authorizer,
      authenticator: { authenticate: async () => caller },
      auditor: auditor as Auditor,
      fallback: (req, res) => {
        seen.answered = splitTarget(req.url ?? '').path;
        app(req, res);
      },
    }),
  );
  await api.create('namespaces', { metadata: { name: 'kube-system' } });
  for (const namespace of ['default', 'kube-system']) {
    const make = (resource: string, name: string, text: string) =>
      api.create(resource, { metadata: { name, namespace }, data: { a: text } }, namespace);
    await make('configmaps', 'mine', namespace === 'default' ? 'mine' : CROWN);
    await make('configmaps', 'crown', CROWN);
    await make('secrets', 'mine', Buffer.from(CROWN).toString('base64'));
  }
});
afterAll(async () => {
  await server.close();
  api.close();
});
beforeEach(() => {
  [seen, open] = [{}, false];
});

const segment = fc.oneof(
  fc.constantFrom(
    ...[
      'api',
      'apis',
      'v1',
      'apps',
      'namespaces',
      'default',
      'kube-system',
      'mine',
      'crown',
      'watch',
      'proxy',
      'status',
    ],
    ...[
      '',
      '.',
      '..',
      '%2e',
      '%2E%2e',
      '%2f',
      '%5c',
      '%00',
      '%zz',
      '%',
      '%ff',
      '%C3%A9',
      ';',
      ';a=b',
      '#',
      '\\',
      '*',
      '~',
      '|',
      '+',
      ' ',
    ],
    ...[
      'metrics',
      'METRICS',
      'version',
      'Version',
      'healthz',
      'livez',
      'openapi',
      'v2',
      'v3',
      'slis',
      '__proto__',
      'constructor',
    ],
    ...NAMES,
    ...NAMES.map((name) => name.toUpperCase()),
  ),
  fc.string({ unit: 'binary-ascii', maxLength: 6 }),
);
const separator = fc.constantFrom('/', '/', '/', '/', '//', '%2f', '%2F', '\\', '/./', '/../', ';/');
const known = fc.constantFrom(
  '/version',
  '/metrics',
  '/api/v1/namespaces/default/configmaps/mine',
  '/api/v1/namespaces/default/configmaps',
  '/api/v1/namespaces/kube-system/secrets/mine',
  '/apis/apps/v1/namespaces/default/deployments/mine/scale',
  '/api/v1/watch/namespaces/default/configmaps',
  '/openapi/v3/api/v1',
);
/** A path that is known, with a piece of it replaced. */
const mutated = fc.tuple(known, fc.nat(60), fc.nat(6), segment).map(([path, at, cut, piece]) => {
  const from = at % (path.length + 1);
  return path.slice(0, from) + piece + path.slice(from + cut);
});
const composed = fc
  .array(fc.tuple(separator, segment), { minLength: 1, maxLength: 9 })
  .map((parts) => parts.flat().join(''));
const parameter = fc.constantFrom(
  ...[
    'watch=1',
    'watch',
    'watch=0',
    'limit=1',
    'limit=-1',
    'limit=9e9',
    'continue=x',
    'resourceVersion=0',
    'resourceVersion=-1',
  ],
  ...[
    'fieldSelector=metadata.name%3Dmine',
    'fieldSelector=metadata.name!%3Dmine',
    'fieldSelector=%00',
    'labelSelector=a',
    'labelSelector=%2Ca',
  ],
  ...[
    'timeoutSeconds=1',
    'pretty=1',
    'dryRun=All',
    'fieldManager=x',
    'as=Table',
    'a=%zz',
    '%',
    '',
    'watch=1&watch=0',
    'sendInitialEvents=true',
  ],
);
const query = fc.array(parameter, { maxLength: 3 }).map((parts) => (parts.length > 0 ? `?${parts.join('&')}` : ''));
const prefix = fc.constantFrom('', '', '', '', 'http://x', 'HTTPS://u:p@x:1', 'ftp://x', 'http:/', '//x');
const target = fc
  .tuple(prefix, fc.oneof(mutated, composed), query)
  // What the client of a test cannot send, and what a server of HTTP/1.1 is never told.
  .map((parts) => parts.join('').replace(/[^!-~]/g, '') || '/');
const method = fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE');

async function ask(sent: string, how: string, headers: Record<string, string> = {}) {
  seen = {};
  const body = ['POST', 'PUT', 'PATCH'].includes(how) ? '{}' : undefined;
  return server.ask(sent, { method: how, headers, ...(body !== undefined && { body }) });
}

const check = <T extends unknown[]>(property: fc.IAsyncProperty<T>, runs = RUNS) =>
  fc.assert(property, { seed: SEED, numRuns: runs, endOnFailure: true });

it('of any path and query nothing is answered but what is granted, and never with an internal error', () =>
  check(
    fc.asyncProperty(target, method, async (sent, how) => {
      const { status, body } = await ask(sent, how);
      const what = `${how} ${sent}: ${status} ${body.toString().slice(0, 200)}`;
      expect(status, what).toBeLessThan(500);
      expect(body.includes(CROWN) || body.includes(Buffer.from(CROWN).toString('base64')), what).toBe(false);
      if (status >= 300) return;
      expect(seen.judged && isGranted(seen.judged), what).toBe(true);
      if (seen.answered !== undefined) expect(JSON.parse(body.toString()), what).toHaveProperty('gitVersion');
    }),
  ));

it('whoever judges, whoever notes and whoever answers have read the same, also where everything is granted', () =>
  check(
    fc.asyncProperty(target, method, async (sent, how) => {
      open = true;
      // Streams last; they go by the same record.
      if (/watch|proxy|exec|attach|portforward/i.test(sent)) return;
      const { status } = await ask(sent, how);
      expect(status, `${how} ${sent}`).toBeLessThan(500);
      if (!seen.judged) return;
      expect(seen.audited, `${how} ${sent}`).toBe(seen.judged);
      if (seen.answered !== undefined) expect(seen.answered).toBe(seen.judged.path);
    }),
    RUNS / 3,
  ));

const NAMED = [
  'accept',
  'accept-encoding',
  'content-type',
  'content-encoding',
  'user-agent',
  'authorization',
  'range',
  'if-none-match',
  'if-match',
];
const IDENTITIES = [
  'impersonate-user',
  'impersonate-group',
  'impersonate-uid',
  'impersonate-extra-%zz',
  'impersonate-x',
  'x-remote-user',
];
const OTHERS = [
  'audit-id',
  'traceparent',
  'warning',
  'origin',
  'cookie',
  'forwarded',
  'x-forwarded-for',
  'sec-websocket-protocol',
  'te',
  'via',
];
const value = fc.oneof(
  fc.constantFrom(
    '',
    ',',
    ';;;',
    '*/*;q=2',
    'a/b;=',
    '"',
    'gzip;q=x',
    'application/json;as=;v=;g=',
    '\u00ff\u00fe',
    'system:masters',
    'bytes=0-1',
  ),
  fc.string({ unit: fc.constantFrom(...'aZ09,;=/"\\%()*+-._~:@ \t\u00e9\u00ff'), maxLength: 40 }),
  fc.constantFrom(',', ';', '=', 'q', ' ').map((each) => each.repeat(5_000)),
);

it('headers of any content never make an internal error, and grant nothing', () =>
  check(
    fc.asyncProperty(
      fc.dictionary(fc.constantFrom(...NAMED, ...IDENTITIES, ...OTHERS), value, { maxKeys: 3 }),
      method,
      async (headers, how) => {
        const sent = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, text.trim()]));
        const { status, body } = await ask('/api/v1/namespaces/default/configmaps/crown', how, sent);
        const what = `${how} ${JSON.stringify(headers).slice(0, 300)}: ${status} ${body.toString().slice(0, 200)}`;
        expect(status, what).toBeGreaterThanOrEqual(400);
        expect(status, what).toBeLessThan(500);
        expect(body.includes(CROWN), what).toBe(false);
        open = true;
        const allowed = await ask('/api/v1/namespaces/default/configmaps/crown?dryRun=All', how, sent);
        open = false;
        expect(allowed.status, what).toBeLessThan(500);
      },
    ),
    RUNS / 3,
  ));

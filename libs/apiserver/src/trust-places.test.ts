import { once } from 'node:events';
import { createServer, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Extensions, fetchFrom } from '@orch/aggregation';
import { authoritiesOf, createAuthenticator } from '@orch/authentication';
import { DocumentReader, Transport } from '@orch/client';
import { openListeners } from '@orch/serving';
import { CONNECTION_LIMITS, listenerOf, registrationOf, type TestApi, testApi } from '@orch/testing';
import { type CertificateCase, certificateCases, selfSigned } from '@orch/tls/testing';
import { ReviewWebhook, WebhookClients } from '@orch/webhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** A case that each place must decide as the reference does, and how; libs/tls has all of them. */
const DECISIVE: readonly [name: string, accepted: boolean][] = [
  ['the root is trusted', true],
  ['the certificate itself is trusted, its root is not', true],
  ['the intermediate alone is trusted, and not sent', true],
  ['another certificate of the same root is trusted', false],
  ['a certificate that is no authority is trusted, and has signed it', false],
  ['the name stands in the common name only', false],
];

let cases: ReadonlyMap<string, CertificateCase>;
let server: Server;
let port: number;
beforeAll(async () => {
  cases = new Map((await certificateCases()).map((each) => [each.name, each]));
  server = createServer((_req, res) => res.end('{}')).on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

/** Connects to the server at {@link port}, which shows a certificate; fails where it is not trusted. */
type Place = (bundle: string) => Promise<unknown>;

const address = async () => ({ host: '127.0.0.1', port });
const url = () => `https://localhost:${port}`;

async function closing<T extends { close(): Promise<void> }>(opened: T, use: (opened: T) => Promise<unknown>) {
  try {
    await use(opened);
  } finally {
    await opened.close();
  }
}

const PLACES: Readonly<Record<string, Place>> = {
  'a client of the API, and what sends audit events and asks about images': (ca) =>
    closing(new Transport({ server: url(), ca }), (transport) => transport.request('GET', '/')),
  'a webhook by its URL (admission, conversion)': (ca) =>
    closing(new WebhookClients({ addressOf: address }), (clients) =>
      clients.post({ url: url(), caBundle: Buffer.from(ca).toString('base64') }, { body: '{}', timeoutMs: 10_000 }),
    ),
  'a webhook behind a service': (ca) =>
    closing(new WebhookClients({ addressOf: address }), (clients) => {
      const service = { namespace: 'trust', name: 'ext' };
      return clients.post({ service, caBundle: Buffer.from(ca).toString('base64') }, { body: '{}', timeoutMs: 10_000 });
    }),
  'a webhook that authenticates or authorizes': (ca) =>
    closing(new ReviewWebhook({ connection: { server: url(), ca }, attempts: 1 }), (webhook) => webhook.ask({})),
  'an issuer of OpenID Connect': (ca) => closing(new DocumentReader({ ca }), (reader) => reader.read(`${url()}/`)),
  'the server of an APIService': async (caBundle) => {
    const backing = {
      service: { spec: { type: 'ClusterIP' as const, clusterIP: '127.0.0.1', ports: [{ port }] } },
      endpoints: undefined,
    };
    const extensions = new Extensions({
      backingOf: () => backing,
      routesToEndpoints: false,
      credentials: () => undefined,
    });
    const service = { namespace: 'trust', name: 'ext', port };
    try {
      await fetchFrom(extensions.of(registrationOf({ caBundle, service })), '/', { limitMs: 10_000, maxBytes: 100 });
    } finally {
      extensions.close();
    }
  },
};

describe.each(Object.entries(PLACES))('%s', (_place, ask) => {
  it.each(DECISIVE)('%s: %s', async (name, accepted) => {
    const { bundle, chain: cert, key } = cases.get(name) as CertificateCase;
    server.setSecureContext({ cert, key });
    const found = await ask(bundle).then(
      () => true,
      () => false,
    );
    expect(found).toBe(accepted);
  });
});

describe('a client certificate', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await testApi();
  });
  afterAll(() => api.close());

  /** The status that a caller gets who shows the chain of a case, from a server that has the bundle from the start, or is given it later. */
  async function caller(
    { bundle, chain: cert, key }: CertificateCase,
    as: 'clients' | 'proxies',
    headers: Record<string, string>,
    later = false,
  ): Promise<number> {
    const own = await selfSigned();
    const trust = { clients: new Map(), proxies: new Map(), proxyNames: [], [as]: authoritiesOf(bundle) };
    const authenticator = createAuthenticator({ trust: () => trust, tokenVerifiers: [], anonymous: false });
    const listeners = await openListeners({
      listener: listenerOf(api, { authenticator }),
      credentials: { serving: own, clientCa: later ? own.cert : bundle },
      ...{ bindAddress: '127.0.0.1', securePort: 0, insecurePort: 0, limits: CONNECTION_LIMITS },
      ...{ onRefused: () => undefined, http2MaxStreams: 100, watchBufferBytes: 1000 },
    });
    if (later) listeners.show({ serving: own, clientCa: bundle });
    const options = {
      port: listeners.securePort,
      ca: own.cert,
      cert,
      key,
      headers,
      agent: false,
      path: '/api/v1/namespaces/default/configmaps',
    };
    const [answer] = await once(request(options).end(), 'response');
    answer.resume();
    await listeners.close();
    return answer.statusCode;
  }

  it.each(DECISIVE.slice(0, -1))('%s: %s', async (name, accepted) => {
    const each = cases.get(name) as CertificateCase;
    const status = accepted ? 200 : 401;
    expect(await caller(each, 'clients', {})).toBe(status);
    expect(await caller(each, 'clients', {}, true), 'given later').toBe(status);
    expect(await caller(each, 'proxies', { 'X-Remote-User': 'jane' })).toBe(status);
    expect(await caller(each, 'proxies', {}), 'a front proxy for nobody').toBe(401);
  });
});

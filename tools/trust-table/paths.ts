import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Transport } from '@orch/client';
import { certificateCases } from '../../libs/tls/src/testing/certificate-cases.js';
import { install } from './in-effect.js';

/** Paths of a URL. */
const PATHS = [
  '',
  '/',
  '//mutate-x',
  '/mutate/',
  '/a//b',
  '/a/./b/../c',
  '/../a',
  '/a%2Fb',
  '/a%2F..%2F..%2Fb',
  '/a%20b',
  "/a'(b)!*",
  '/a:b@c;d=e&f,g+h$',
  '/%C3%BC',
  '/a%3Fb',
  '/a%ffb',
  '/a;b/',
];

interface Seen {
  readonly method: string;
  readonly target: string;
  readonly bodyBytes: number;
}

/** Starts a webhook that records its requests, and responds with what `answer` returns. */
async function listen(
  seen: Seen[],
  answer: (target: string) => [number, string] | undefined,
): Promise<{ server: Server; bundle: string; port: number }> {
  const [one] = await certificateCases();
  if (!one) throw new Error('there is no case');
  const server = createServer({ cert: one.chain, key: one.key }, async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    seen.push({
      method: req.method ?? '',
      target: (req.url ?? '').replace(/timeout=\w+/, 'timeout'),
      bodyBytes: body.length,
    });
    const elsewhere = answer(req.url ?? '');
    if (elsewhere) return void res.writeHead(elsewhere[0], { location: elsewhere[1] }).end();
    const uid = body ? JSON.parse(body).request?.uid : '';
    res.setHeader('content-type', 'application/json');
    res.end(
      JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, bundle: one.bundle, port: (server.address() as AddressInfo).port };
}

function webhooksAt(urls: readonly string[], name: string, bundle: string): object[] {
  return urls.map((url, at) => ({
    name: `${name}-${at}.example.com`,
    clientConfig: { url, caBundle: Buffer.from(bundle).toString('base64') },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
    ...{
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      objectSelector: { matchLabels: { [name]: String(at) } },
    },
  }));
}

async function write(transport: Transport, name: string, at: number): Promise<string> {
  const body = JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'x', labels: { [name]: String(at) } },
  });
  const asked = transport.request('POST', '/api/v1/namespaces/trust/configmaps?dryRun=All', {
    body,
    headers: { 'content-type': 'application/json' },
  });
  return asked.then(
    () => 'accepted',
    (error: Error) =>
      error.message.replace(/:\d{4,5}/g, ':PORT').replace(/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, 'UID'),
  );
}

/** Finds out the request target that the server sends for each path of a URL. */
export async function probePaths(transport: Transport): Promise<Record<string, string>> {
  const seen: Seen[] = [];
  const { server, bundle, port } = await listen(seen, () => undefined);
  const urls = PATHS.map((path) => `https://127.0.0.1:${port}${path}`);
  await install(transport, 'paths', webhooksAt(urls, 'paths', bundle));
  const found: Record<string, string> = {};
  for (const [at, path] of PATHS.entries()) {
    seen.length = 0;
    const written = await write(transport, 'paths', at);
    found[path] = seen.map(({ target }) => target).join(' ') || written;
  }
  server.close();
  return found;
}

/** Finds out how the server handles redirects. */
export async function probeRedirects(transport: Transport): Promise<Record<string, unknown>> {
  const seen: Seen[] = [];
  const other = await listen(seen, () => undefined);
  const answer = (target: string): [number, string] | undefined => {
    const [, code, kind] = /^\/(\d+)\/(\w+)/.exec(target) ?? [];
    if (kind === 'same') return [Number(code), '/there'];
    if (kind === 'other') return [Number(code), `https://127.0.0.1:${other.port}/there`];
    if (kind === 'loop') return [Number(code), target];
    return undefined;
  };
  const { server, bundle, port } = await listen(seen, answer);
  const ways = [301, 302, 303, 307, 308].flatMap((code) => [`/${code}/same`, `/${code}/other`]).concat('/307/loop');
  const urls = ways.map((way) => `https://127.0.0.1:${port}${way}`);
  await install(transport, 'redirects', webhooksAt(urls, 'redirects', bundle));
  const found: Record<string, unknown> = {};
  for (const [at, way] of ways.entries()) {
    seen.length = 0;
    const written = await write(transport, 'redirects', at);
    found[way] = {
      written,
      calls: seen.map(({ method, target, bodyBytes }) => `${method} ${target}${bodyBytes > 0 ? ' with body' : ''}`),
    };
  }
  server.close();
  other.server.close();
  return found;
}

// Asks a running server of the Kubernetes API which certificates it accepts, and writes what it answers as data for the tests of trust.
// Twice: `npx tsx tools/trust-table/ask.ts prepare DIR` makes the certificates of all cases and DIR/bundles.pem, which the server is started
// with (--client-ca-file beside its own authority, --requestheader-client-ca-file, --requestheader-username-headers=X-Remote-User,
// --anonymous-auth=false); `npx tsx tools/trust-table/ask.ts ask DIR KUBECONFIG OUT` asks.
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readKubeconfig, Transport } from '@orch/client';
import { namesOf } from '@orch/machinery';
import { type CertificateCase, certificateCases } from '../../libs/tls/src/testing/certificate-cases.js';
import { install, until } from './in-effect.js';
import { probePaths, probeRedirects } from './paths.js';

const [step, dir = '.', kubeconfig = '', out = ''] = process.argv.slice(2);
const file = join(dir, 'cases.json');

/** Lets a program show what it would not trust itself. */
const WEAK = 'DEFAULT:@SECLEVEL=0';

/** A server of one case, which answers as a webhook, and as the server of an API group. */
async function serve({ chain: cert, key }: CertificateCase): Promise<Server> {
  const server = createServer({ cert, key, ciphers: WEAK }, async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const uid = body ? JSON.parse(body).request?.uid : undefined;
    res.setHeader('content-type', 'application/json');
    res.end(
      JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } }),
    );
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Returns a webhook for each case and way, distinguished by a label of the object. */
function webhooksOf(cases: readonly CertificateCase[], ports: readonly number[]) {
  const hook = (at: number, way: string, clientConfig: object) => ({
    name: `${way}-${at}.example.com`,
    clientConfig: { ...clientConfig, caBundle: base64(cases[at]?.bundle ?? '') },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
    ...{
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      objectSelector: { matchLabels: { case: `${way}-${at}` } },
    },
  });
  return cases.flatMap((_case, at) => [
    hook(at, 'address', { url: `https://127.0.0.1:${ports[at]}/` }),
    hook(at, 'name', { url: `https://localhost:${ports[at]}/` }),
    hook(at, 'service', { service: { namespace: 'trust', name: 'ext', port: ports[at] } }),
  ]);
}

/** Registers each case as the server of a group. */
const apiService = ({ bundle }: CertificateCase, port: number | undefined, at: number) => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `v1.case-${at}.example.com` },
  spec: {
    ...{ group: `case-${at}.example.com`, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 10 },
    service: { namespace: 'trust', name: 'ext', port },
    caBundle: base64(bundle),
  },
});

/** Whether the server has looked for all of them, and found them or not. */
async function areJudged(transport: Transport, count: number): Promise<boolean> {
  const { body } = await transport.request('GET', '/apis/apiregistration.k8s.io/v1/apiservices');
  const { items } = JSON.parse(body.toString()) as {
    items: { metadata: { name: string }; status?: { conditions?: unknown[] } }[];
  };
  const judged = items.filter(({ metadata, status }) => metadata.name.startsWith('v1.case-') && status?.conditions);
  return judged.length >= count;
}

type Ask = (path: string, body: object) => Promise<{ code: number; text: string }>;

/** The message of a refusal without what is another in each run; `accepted` for none. */
const verdict = ({ code, text }: { code: number; text: string }): string =>
  code < 300 ? 'accepted' : (/x509: ([^:(]*[^:( ])/.exec(JSON.parse(text).message ?? text)?.[1] ?? text);

async function askAsServers(transport: Transport, cases: readonly CertificateCase[], ports: readonly number[]) {
  const post: Ask = async (path, body) => {
    const answer = await transport
      .request('POST', path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
      .catch((error) => error);
    return answer instanceof Error
      ? { code: 500, text: JSON.stringify({ message: answer.message }) }
      : { code: 200, text: '' };
  };
  const metadata = { name: 'trust', namespace: 'trust' };
  await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'trust' } });
  const spec = {
    type: 'ExternalName',
    externalName: 'localhost',
    ports: ports.map((port) => ({ name: `p${port}`, port })),
  };
  await post('/api/v1/namespaces/trust/services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...metadata, name: 'ext' },
    spec,
  });
  await install(transport, 'trust', webhooksOf(cases, ports));
  for (const [at, each] of cases.entries())
    await post('/apis/apiregistration.k8s.io/v1/apiservices', apiService(each, ports[at], at));
  await until('all API services have been judged', () => areJudged(transport, cases.length));
  const found: Record<string, Record<string, string>> = {};
  for (const [at, { name }] of cases.entries()) {
    const row: Record<string, string> = {};
    for (const way of ['address', 'name', 'service']) {
      const object = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { ...metadata, labels: { case: `${way}-${at}` } },
      };
      row[way] = verdict(await post('/api/v1/namespaces/trust/configmaps?dryRun=All', object));
    }
    const got = await transport.request('GET', `/apis/case-${at}.example.com/v1/things`).catch((error) => error);
    row.extension =
      got instanceof Error ? verdict({ code: 500, text: JSON.stringify({ message: got.message }) }) : 'accepted';
    found[name] = row;
  }
  return found;
}

/** Status that a client certificate gets, with more headers. */
function statusOf(
  server: string,
  ca: string,
  { chain, key }: CertificateCase,
  headers: Record<string, string>,
): Promise<number> {
  return new Promise((resolve) => {
    const asked = request(
      `${server}/version`,
      { ca, cert: chain, key, headers, agent: false, ciphers: WEAK },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    );
    asked.on('error', () => resolve(0)).end();
  });
}

async function ask(): Promise<void> {
  const cases = JSON.parse(readFileSync(file, 'utf8')) as CertificateCase[];
  const connection = await readKubeconfig(kubeconfig, { names: namesOf('kubernetes') });
  const transport = new Transport(connection, { maxRetries: 0 });
  const servers = await Promise.all(cases.map(serve));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  const found = await askAsServers(transport, cases, ports);
  for (const each of cases) {
    const row = found[each.name] as Record<string, string>;
    const accepted = (status: number) => (status === 200 || status === 403 ? 'accepted' : `refused with ${status}`);
    row.client = accepted(await statusOf(connection.server, connection.ca ?? '', each, {}));
    row.proxy = accepted(await statusOf(connection.server, connection.ca ?? '', each, { 'X-Remote-User': 'jane' }));
  }
  const paths = await probePaths(transport);
  const redirects = await probeRedirects(transport);
  writeFileSync(out, `${JSON.stringify({ certificates: found, paths, redirects }, undefined, 2)}\n`);
  for (const server of servers) server.close();
  await transport.close();
  process.exit(0);
}

if (step === 'prepare') {
  const cases = await certificateCases();
  writeFileSync(file, JSON.stringify(cases), { mode: 0o600 });
  writeFileSync(join(dir, 'bundles.pem'), cases.map(({ bundle }) => bundle).join(''));
} else await ask();

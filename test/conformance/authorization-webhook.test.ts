import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { type ExtensionServer, startExtensionServer } from '../support/extension-server.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

interface Spec {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly resourceAttributes?: { readonly verb: string; readonly resource: string; readonly namespace?: string };
  readonly nonResourceAttributes?: { readonly path: string };
}

const MAPS = '/api/v1/namespaces/default/configmaps';
const KUBERNETES = 'authorization.k8s.io/v1';

let dir: string;
let webhook: ExtensionServer;
let server: Standalone;
let joe: Api;
/** Reviews that the webhook received, without those for the servers' own requests. */
const asked: Spec[] = [];
/** Returns the answer to a review; a number is the code of a failure. */
let answer: (spec: Spec) => object | number = () => ({ allowed: false });

/** Whether the token `robot` is known. */
let knowsRobot = true;

/** Answers token reviews with the name in the token. */
async function name(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { apiVersion, kind, spec } = JSON.parse(await text(req));
  const isKnown = spec.token === 'robot' && knowsRobot;
  const status = isKnown ? { authenticated: true, user: { username: 'robot' } } : {};
  res.setHeader('content-type', 'application/json').end(JSON.stringify({ apiVersion, kind, status }));
}

async function judge(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const review = JSON.parse(await text(req)) as { apiVersion: string; spec: Spec };
  if (review.spec.user === 'joe') asked.push(review.spec);
  // As probes come: without them the server would never be ready.
  const status = review.spec.nonResourceAttributes ? { allowed: true } : answer(review.spec);
  const isRight = req.method === 'POST' && req.url === '/authorize' && review.apiVersion === KUBERNETES;
  if (typeof status === 'number' || !isRight) res.writeHead(typeof status === 'number' ? status : 400).end('{}');
  else res.setHeader('content-type', 'application/json').end(JSON.stringify({ ...review, status }));
}

/** Names the webhook, with a path. */
function fileFor(path: string): string {
  const file = join(dir, `${path}.yaml`);
  const cluster = {
    server: `https://127.0.0.1:${webhook.port}/${path}`,
    'certificate-authority-data': webhook.caBundle,
  };
  writeFileSync(
    file,
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
      clusters: [{ name: 'w', cluster }],
      contexts: [{ name: 'c', context: { cluster: 'w', user: 'u' } }],
      users: [{ name: 'u', user: {} }],
    }),
  );
  return file;
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'authorization-webhook-'));
  webhook = await startExtensionServer('webhook', 'default', (req, res) => {
    void (req.url === '/authenticate' ? name(req, res) : judge(req, res));
  });
  server = await startStandalone({
    strangers: ['joe'],
    args: [
      '--authorization-mode=Webhook,RBAC',
      `--authorization-webhook-config-file=${fileFor('authorize')}`,
      `--authentication-token-webhook-config-file=${fileFor('authenticate')}`,
      '--authentication-token-webhook-cache-ttl=1s',
      '--authorization-webhook-version=v1',
      '--authorization-webhook-cache-authorized-ttl=1s',
      '--authorization-webhook-cache-unauthorized-ttl=0s',
      '--authorization-webhook-watch-interval=1s',
    ],
  });
  joe = new Api({ url: server.url, ca: server.ca, token: 'joe' });
});
afterAll(async () => {
  joe?.close();
  await server?.stop();
  await webhook?.stop();
  rmSync(dir, { recursive: true, force: true });
});

test('a webhook lets in, keeps out, or leaves it to the next', async () => {
  expect((await joe.get(MAPS)).status, 'nobody has an opinion').toBe(403);
  expect(asked.at(-1)).toMatchObject({
    user: 'joe',
    groups: ['system:authenticated'],
    resourceAttributes: { verb: 'list', resource: 'configmaps', namespace: 'default', version: 'v1' },
  });
  answer = () => ({ allowed: false, denied: true, reason: 'not on a Monday' });
  const refused = await joe.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    apiVersion: KUBERNETES,
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { verb: 'list', resource: 'configmaps' } },
  });
  expect([refused.status, refused.json().message], 'before roles are looked at').toEqual([
    403,
    expect.stringContaining('not on a Monday'),
  ]);
  answer = () => ({ allowed: true });
  expect((await joe.get(MAPS)).status).toBe(200);
  const { length } = asked;
  expect((await joe.get(MAPS)).status).toBe(200);
  expect(asked.length, 'the answer is kept').toBe(length);
  answer = () => ({ allowed: false });
  await expect.poll(async () => (await joe.get(MAPS)).status).toBe(403);
});

test('one that fails is asked again, and lets nobody in', async () => {
  let failures = 2;
  answer = () => (failures-- > 0 ? 500 : { allowed: true });
  expect((await joe.get(`${MAPS}/none`)).status).toBe(404);
  expect(failures).toBe(-1);
  answer = () => 418;
  const failed = await joe.get(`${MAPS}/other`);
  expect([failed.status, failed.json().kind]).toEqual([500, 'Status']);
});

test('a watch by a token that a webhook knows ends once it knows it no more', async () => {
  answer = () => ({ allowed: true });
  const robot = new Api({ url: server.url, ca: server.ca, token: 'robot' });
  const stream = await robot.watch(`${MAPS}?watch=1&timeoutSeconds=600`);
  expect(stream.status).toBe(200);
  knowsRobot = false;
  expect((await stream.rest()).at(-1)).toMatchObject({ type: 'ERROR', object: { code: 401, reason: 'Unauthorized' } });
  expect(stream.isWhole).toBe(true);
  await expect.poll(async () => (await robot.get(MAPS)).status).toBe(401);
  robot.close();
});

test('a watch that it allows ends once it does no more, and not because it fails', async () => {
  answer = () => ({ allowed: true });
  const stream = await joe.watch(`${MAPS}?watch=1&timeoutSeconds=600`);
  expect(stream.status).toBe(200);
  answer = () => 418;
  const { length } = asked;
  await expect.poll(() => asked.length, { timeout: 30_000 }).toBeGreaterThan(length + 2);
  const admin = new Api({ url: server.url, ca: server.ca, token: server.token });
  expect((await admin.post(MAPS, { metadata: { name: 'meanwhile' } })).status).toBe(201);
  await stream.until(({ object }) => object.metadata.name === 'meanwhile');
  admin.close();
  answer = () => ({ allowed: false });
  const last = (await stream.rest()).at(-1);
  expect(last).toMatchObject({ type: 'ERROR', object: { code: 403, reason: 'Forbidden' } });
  expect(stream.isWhole).toBe(true);
});

test('an administrator does not depend on it', async () => {
  answer = () => ({ allowed: false, denied: true });
  const admin = new Api({ url: server.url, ca: server.ca, token: server.token });
  expect((await admin.get(MAPS)).status).toBe(200);
  admin.close();
});

import { createSign, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../../tools/up/index.js';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const GONE_WITHIN_MS = 1_000;
const CORE = '/api/v1/namespaces/default';
/** The key of another cluster, whose tokens are to be believed here. */
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

let dir: string;
let server: Standalone;
let admin: Api;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orch-keys-'));
  const file = join(dir, 'sa.pub');
  writeFileSync(file, publicKey.export({ type: 'spki', format: 'pem' }));
  server = await startStandalone({ args: [`--service-account-key-file=${file}`] });
  admin = new Api(server);
});

afterAll(async () => {
  admin?.close();
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
});

function signed(claims: object): string {
  const parts = [{ alg: 'RS256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const signature = createSign('sha256').update(parts.join('.')).sign(privateKey);
  return `${parts.join('.')}.${signature.toString('base64url')}`;
}

async function made(plural: string, object: object): Promise<string> {
  const answer = await admin.post(`${CORE}/${plural}`, { apiVersion: 'v1', ...object });
  expect(answer.status, answer.text).toBe(201);
  return answer.json().metadata.uid;
}

test('a token of another cluster that lies in a Secret here is good while it does; none are issued without a key that signs', async () => {
  const uid = await made('serviceaccounts', { kind: 'ServiceAccount', metadata: { name: 'robot' } });
  const claim = 'kubernetes.io/serviceaccount';
  const token = signed({
    iss: 'kubernetes/serviceaccount',
    sub: 'system:serviceaccount:default:robot',
    [`${claim}/namespace`]: 'default',
    [`${claim}/secret.name`]: 'robot-token',
    [`${claim}/service-account.name`]: 'robot',
    [`${claim}/service-account.uid`]: uid,
  });
  const robot = new Api({ ...server, token });
  const status = async () => (await robot.get('/version')).status;
  expect(await status(), 'nobody holds it').toBe(401);
  const annotations = { 'kubernetes.io/service-account.name': 'robot', 'kubernetes.io/service-account.uid': uid };
  await made('secrets', {
    ...{ kind: 'Secret', type: 'kubernetes.io/service-account-token' },
    metadata: { name: 'robot-token', annotations },
    stringData: { token },
  });
  await waitUntil('it is held', GONE_WITHIN_MS, async () => (await status()) === 200);
  expect((await admin.get('/metrics')).text).toMatch(/^serviceaccount_legacy_tokens_total [1-9]/m);
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  expect((await admin.post(`${CORE}/serviceaccounts/robot/token`, request)).status).toBe(404);
  expect((await admin.delete(`${CORE}/secrets/robot-token`)).status).toBe(200);
  await waitUntil('it is gone', GONE_WITHIN_MS, async () => (await status()) === 401);
  robot.close();
});

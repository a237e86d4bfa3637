import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { waitUntil } from '../../tools/up/index.js';
import type { Made } from '../deploy/openssl.js';
import type { ApiSettings } from '../support/api.js';
import { ALL, SERVERS } from './pods.js';
import { NAMESPACE } from './release.js';
import { keyPair, logins, type Scene, tokenLine } from './scene.js';

const ROLES = ['orch_api_server', 'orch_gateway'];
const REWRITTEN_MS = 300_000;
const ADMIN = { subject: '/O=system:masters/CN=admin', usage: 'clientAuth' } as const;
const AS_ADMIN = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' };

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/**
 * Rotates what servers read at start, as docs/rotation.md says: logins of PostgreSQL, static tokens, keys of service
 * accounts.
 */
export async function whatIsReadAtTheStart(scene: Scene): Promise<void> {
  const { release, database, pods, signer } = scene;
  const next = keyPair();
  for (const role of ROLES) await database.run(`CREATE ROLE ${role}_b LOGIN PASSWORD 'two' IN ROLE ${role}`);
  const both = { 'sa.key': signer.privateKey, 'sa.pub': signer.publicKey + next.publicKey };
  await scene.write({
    'orch-postgres': logins('_b', 'two'),
    'sa-keys': both,
    tokens: { 'tokens.csv': tokenLine('token-one') + tokenLine('token-two') },
  });
  await release.upgrade();
  await pods.answer(200, { ca: await authority(scene), token: 'token-two' }, ...SERVERS);
  const used = await database.run(
    "SELECT DISTINCT usename::text FROM pg_stat_activity WHERE usename LIKE 'orch%' ORDER BY 1",
  );
  expect(used.map(({ usename }) => usename)).toEqual(ROLES.map((role) => `${role}_b`));
  for (const role of ROLES) await database.run(`ALTER ROLE ${role} NOLOGIN`);
  scene.watching.renew({ token: 'token-two' });
  await scene.write({
    'sa-keys': { 'sa.key': next.privateKey, 'sa.pub': both['sa.pub'] },
    tokens: { 'tokens.csv': tokenLine('token-two') },
  });
  await release.upgrade();
  await pods.answer(401, { ca: await authority(scene), token: 'token-one' }, ...SERVERS);
  await scene.write({ 'sa-keys': { 'sa.key': next.privateKey, 'sa.pub': next.publicKey } });
  await release.upgrade();
  await pods.answer(200, { ca: await authority(scene), token: 'token-two' }, ...SERVERS);
}

/** Certificates of servers and of the load balancer, of the same authority: another name makes Helm make them. */
export async function servingCertificates({ release, pods }: Scene): Promise<void> {
  const before = await pods.serials(...ALL);
  await release.upgrade('config.advertiseHosts={api.example.com}');
  await pods.showOthers(before, ...ALL);
}

/** The authority of servers and callers, in three steps. */
export async function authorityOfServers(scene: Scene): Promise<void> {
  const { release, pods } = scene;
  const before = await scene.cluster.secret(NAMESPACE, 'orch-pki');
  const next = scene.openSsl.authority('next-ca', 3650);
  const old = await release.administrator();
  await patchPki(scene, { 'further-ca.crt': next.cert });
  await release.upgrade();
  const fresh = scene.openSsl.leaf('fresh', next, ADMIN);
  await pods.answer(200, { ca: await authority(scene), certificate: fresh }, ...ALL);
  await scene.renewClients();
  const serials = await pods.serials(...ALL);
  await patchPki(scene, { 'ca.crt': next.cert, 'ca.key': next.key, 'further-ca.crt': before['ca.crt'] ?? '' });
  await release.upgrade();
  await pods.showOthers(serials, ...ALL);
  await scene.renewClients();
  await pods.haveLoaded();
  await patchPki(scene, { 'further-ca.crt': null });
  await release.upgrade();
  const refused = { ca: next.cert, ...(old.certificate && { certificate: old.certificate }) };
  await pods.answer(401, refused, ...SERVERS);
  await pods.answer(0, refused, 'load-balancer');
  await scene.renewClients();
}

/** The authority of those who ask for others, in three steps. */
export async function authorityOfProxies(scene: Scene): Promise<void> {
  const { release, pods } = scene;
  const before = await scene.cluster.secret(NAMESPACE, 'orch-pki');
  const balancer = await scene.cluster.secret(NAMESPACE, 'orch-load-balancer');
  const next = scene.openSsl.authority('next-front-proxy-ca', 3650);
  const proxy = scene.openSsl.leaf('proxy', next, { subject: '/CN=front-proxy-client', usage: 'clientAuth' });
  const ca = await authority(scene);
  await patchPki(scene, { 'further-front-proxy-ca.crt': next.cert });
  await release.upgrade();
  await pods.answer(200, { ca, certificate: proxy, headers: AS_ADMIN }, ...SERVERS);
  const serials = await pods.serials('load-balancer');
  await patchPki(scene, {
    ...{ 'front-proxy-ca.crt': next.cert, 'front-proxy-ca.key': next.key },
    'further-front-proxy-ca.crt': before['front-proxy-ca.crt'] ?? '',
  });
  await release.upgrade();
  await pods.showOthers(serials, 'load-balancer');
  await pods.haveLoaded();
  await patchPki(scene, { 'further-front-proxy-ca.crt': null });
  await release.upgrade();
  const old = { cert: balancer['front-proxy.crt'] ?? '', key: balancer['front-proxy.key'] ?? '' };
  await pods.answer(401, { ca, certificate: old, headers: AS_ADMIN }, ...SERVERS);
  await scene.renewClients();
}

/** The operator's own authority of callers, and the one that signs requests. */
export async function furtherAuthorities(scene: Scene): Promise<void> {
  const { pods, openSsl, callers, signing } = scene;
  const [nextCallers, nextSigning] = [openSsl.authority('next-callers'), openSsl.authority('next-signing')];
  const [old, signed] = [openSsl.leaf('a', callers, ADMIN), openSsl.leaf('b', signing, ADMIN)];
  const [fresh, freshlySigned] = [openSsl.leaf('c', nextCallers, ADMIN), openSsl.leaf('d', nextSigning, ADMIN)];
  const ca = await authority(scene);
  const of = (certificate: Made) => ({ ca, certificate: { cert: certificate.cert, key: certificate.key } });
  await scene.write({ 'client-ca': { 'ca.crt': callers.cert + nextCallers.cert + signing.cert } });
  await pods.answer(200, of(fresh), ...ALL);
  await scene.write({ signing: { 'tls.crt': nextSigning.cert, 'tls.key': nextSigning.key } });
  for (const certificate of [freshlySigned, old, signed]) await pods.answer(200, of(certificate), ...ALL);
  await scene.write({ 'client-ca': { 'ca.crt': nextCallers.cert } });
  for (const certificate of [old, signed]) await pods.answer(401, of(certificate), ...SERVERS);
  for (const certificate of [fresh, freshlySigned]) await pods.answer(200, of(certificate), ...ALL);
}

/** Passwords of NATS: the Secret first, then the pods of NATS. */
export async function passwordsOfNats(scene: Scene): Promise<void> {
  await scene.write({ nats: { password: 'nats-two' }, 'nats-gateway': { password: 'nats-gateway-two' } });
  await scene.release.upgrade();
  await scene.pods.have('nats-two', '/etc/orch/nats-auth/password', 'api-server');
  await scene.pods.have('nats-gateway-two', '/etc/orch/nats-auth/password', 'watch-gateway');
}

const FILE = '/etc/orch/files/encryption-provider-config/config.yaml';
/** How often a changed file has been read. */
const RELOADS = /^orch_encryption_config_reloads_total\{result="success"\} (\d+)$/m;

/** Turns encryption on in two steps: first every server can read what is encrypted, and only then any of them encrypts. */
export async function encryptionTurnedOn(scene: Scene): Promise<void> {
  await scene.write({ encryption: { 'config.yaml': encryption([IDENTITY, keys('one')]) } });
  const at = 'optionFiles.encryption-provider-config';
  await scene.release.upgrade(`${at}.secret=encryption`, `${at}.key=config.yaml`);
  await configure(scene, keys('one'), IDENTITY);
  await rewrite(scene);
}

/** Another key of the encryption of objects, in the four steps of docs/encryption.md. */
export async function encryptionKeys(scene: Scene): Promise<void> {
  await configure(scene, keys('one', 'two'), IDENTITY);
  await configure(scene, keys('two', 'one'), IDENTITY);
  await rewrite(scene);
  await configure(scene, keys('two'));
  await orchctlRewrite(scene, '--check');
}

const fileOf = ({ cluster }: Scene): string => join(cluster.dir, 'encryption.yaml');

/** Brings a configuration to every server, and waits until it has read it. */
async function configure(scene: Scene, ...providers: readonly object[]): Promise<void> {
  const text = encryption(providers);
  writeFileSync(fileOf(scene), text);
  const administrator = await scene.release.administrator();
  const reloads = () => scene.pods.metrics(RELOADS, administrator, ...SERVERS);
  const before = await reloads();
  await scene.write({ encryption: { 'config.yaml': text } });
  await scene.pods.have(text, FILE, ...SERVERS);
  await waitUntil('every server has read it', REWRITTEN_MS, async () =>
    (await reloads()).every((times, index) => times > (before[index] ?? 0)),
  );
}

/** Writes everything anew that is encrypted otherwise than the file says, until there is nothing. */
async function rewrite(scene: Scene): Promise<void> {
  await waitUntil('nothing is encrypted otherwise', REWRITTEN_MS, async () => {
    await orchctlRewrite(scene);
    return orchctlRewrite(scene, '--check').then(
      () => true,
      () => false,
    );
  });
}

const orchctlRewrite = (scene: Scene, ...more: readonly string[]): Promise<string> =>
  scene.database.orchctl([
    ...['storage', 'rewrite', '--naming=kubernetes', `--encryption-provider-config=${fileOf(scene)}`],
    ...more,
  ]);

const IDENTITY = { identity: {} };
const keys = (...names: readonly string[]): object => ({
  aesgcm: { keys: names.map((name) => ({ name, secret: Buffer.alloc(32, name).toString('base64') })) },
});

const encryption = (providers: readonly object[]): string =>
  JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [{ resources: ['configmaps', 'secrets'], providers }],
  });

/** Returns the certificate authority that clients trust now. */
const authority = async ({ release }: Scene): Promise<NonNullable<ApiSettings['ca']>> =>
  (await release.administrator()).ca ?? '';

/** Changes the Secret of the authorities, as the page does with `kubectl patch`. */
async function patchPki({ cluster }: Scene, files: Readonly<Record<string, string | null>>): Promise<void> {
  const data = Object.fromEntries(
    Object.entries(files).map(([key, text]) => [key, text === null ? null : base64(text)]),
  );
  const answer = await cluster.api.patch(`/api/v1/namespaces/${NAMESPACE}/secrets/orch-pki`, 'merge', { data });
  expect(answer.status, answer.text).toBe(200);
}

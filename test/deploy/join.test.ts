import { execFile, execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ORCHCTL } from '../../tools/up/index.js';
import { findKubectl, KUBECTL_BUILD_MS, Kubectl } from '../clients/kubectl.js';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { OpenSsl } from './openssl.js';

const TOKEN = 'abc123.0123456789abcdef';
const SECRETS = '/api/v1/namespaces/kube-system/secrets';
const CLUSTER_INFO = '/api/v1/namespaces/kube-public/configmaps/cluster-info';

let dir: string;
let server: Standalone;
let kubectl: string;
let pki: string;
let authority: ReturnType<OpenSsl['authority']>;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orch-join-'));
  kubectl = findKubectl('1.27');
  authority = new OpenSsl(dir).authority('people');
  const args = ['--runtime-config=authentication.k8s.io/v1beta1=true', '--enable-bootstrap-token-auth'];
  args.push(`--client-ca-file=${authority.certFile}`);
  server = await startStandalone({ args });
  pki = join(dirname(server.postgresDir), 'pki');
}, KUBECTL_BUILD_MS);

afterAll(async () => {
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
});

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs orchctl without variables that set options. */
const orchctl = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  promisify(execFile)(process.execPath, [ORCHCTL, ...args], { env: { PATH: process.env.PATH, ...env } }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );

/** kubectl with the kubeconfig that orchctl prints. */
async function kubectlWith(...args: readonly string[]): Promise<Kubectl> {
  const { stdout, stderr } = await orchctl(['kubeconfig', `--server=${server.url}`, `--cert-dir=${pki}`, ...args]);
  expect(stderr).toBe('');
  const file = join(mkdtempSync(join(dir, 'user-')), 'kubeconfig');
  writeFileSync(file, stdout, { mode: 0o600 });
  return new Kubectl(kubectl, file);
}

const whoami = async (user: Kubectl) =>
  JSON.parse(await user.ok(['auth', 'whoami', '-o', 'json'])).status.userInfo as { username: string; groups: string[] };

describe('orchctl kubeconfig', () => {
  test('a user with groups, by the authority that a server has made', async () => {
    const user = await kubectlWith('--user=system:node:n1', '--group=system:nodes', '--group=extra,more');
    const { username, groups } = await whoami(user);
    expect(username).toBe('system:node:n1');
    expect(groups).toEqual(['system:nodes', 'extra', 'more', 'system:authenticated']);
  });

  test('a user by an authority of one’s own, with another name for the cluster and a namespace', async () => {
    const signing = [`--ca-cert-file=${authority.certFile}`, `--ca-key-file=${authority.keyFile}`];
    const user = await kubectlWith('--user=jane', ...signing, '--cluster-name=blue', '--namespace=teams');
    expect(await whoami(user)).toEqual({ username: 'jane', groups: ['system:authenticated'] });
    expect(await user.ok(['config', 'view', '--minify', '-o', 'jsonpath={..namespace} {.clusters[0].name}'])).toBe(
      'teams blue',
    );
  });

  test('a file that only its owner reads, and a certificate as long as was asked', async () => {
    const out = join(dir, 'new', 'kubeconfig');
    const args = ['kubeconfig', `--server=${server.url}`, `--cert-dir=${pki}`, '--user=u', `--out=${out}`];
    expect(await orchctl([...args, '--validity-period=48h'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const { users } = parse(readFileSync(out, 'utf8'));
    const pem = Buffer.from(users[0].user['client-certificate-data'], 'base64');
    const { validFrom, validTo } = new X509Certificate(pem);
    expect(Date.parse(validTo) - Date.parse(validFrom)).toBe(48 * 3_600_000);
  });

  test.each([
    ['no server', ['--user=u'], '--server is required'],
    ['a server that is no https URL', ['--user=u', '--server=http://x'], '--server: is no https URL'],
    ['a server with credentials in it', ['--user=u', '--server=https://me:secret@x'], '--server: has a user'],
    ['a user without a name', ['--server=https://x', '--user='], '--user: must not be empty'],
    ['neither user nor token', ['--server=https://x'], 'give one of --user and --token'],
    ['user and token', ['--server=https://x', '--user=u', '--token=t'], 'give one of --user and --token'],
    ['groups of a token', ['--server=https://x', '--token=t', '--group=g'], '--group: a token'],
    ['an authority without its key', ['--server=https://x', '--user=u', '--ca-cert-file=f'], 'give --ca-cert-file and'],
    [
      'a lifetime of no use',
      ['--server=https://x', '--user=u', '--validity-period=5s'],
      'less than the least allowed, 10m0s',
    ],
    ['a folder that is not there', ['--server=https://x', '--user=u', '--cert-dir=/nowhere'], 'ENOENT'],
  ])('%s is refused', async (_, args, message) => {
    const { code, stdout, stderr } = await orchctl(['kubeconfig', ...args]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
  });

  test('a key that is not the authority’s is refused', async () => {
    const other = new OpenSsl(join(mkdir('other'))).authority('other');
    const args = [`--ca-cert-file=${authority.certFile}`, `--ca-key-file=${other.keyFile}`];
    const { code, stderr } = await orchctl([
      'kubeconfig',
      '--server=https://x',
      '--user=u',
      `--cert-dir=${pki}`,
      ...args,
    ]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'Error: the certificate does not match its key\n' });
  });
});

describe('orchctl bootstrap-token', () => {
  const print = (...args: readonly string[]) =>
    orchctl(['bootstrap-token', `--server=${server.url}`, `--cert-dir=${pki}`, '--naming=kubernetes', ...args], {
      ORCH_TOKEN: TOKEN,
    });

  beforeAll(async () => {
    const admin = new Kubectl(kubectl, server.kubeconfig);
    const { stdout } = await print('--group=system:bootstrappers:workers', '--description=rack 7');
    await admin.ok(['apply', '-f', '-'], { input: stdout });
  });

  test('who has the token requests a certificate that is signed, and is the node with it', async () => {
    const joining = await kubectlWith(`--token=${TOKEN}`);
    const groups = ['system:bootstrappers', 'system:bootstrappers:workers', 'system:authenticated'];
    await expect.poll(() => whoami(joining)).toEqual({ username: 'system:bootstrap:abc123', groups });
    expect(
      await joining.ok(['auth', 'can-i', 'create', 'certificatesigningrequests/nodeclient.certificates.k8s.io']),
    ).toBe('yes\n');
    expect((await joining.run(['auth', 'can-i', 'get', 'secrets'])).stdout).toBe('no\n');
    const { request, key } = nodeRequest('n2');
    await joining.ok(['create', '-f', '-'], { input: JSON.stringify(request) });
    const read = ['get', 'csr', request.metadata.name, '-o', 'jsonpath={.status.certificate}'];
    await expect.poll(() => joining.ok(read)).not.toBe('');
    const certificate = { cert: Buffer.from(await joining.ok(read), 'base64').toString(), key };
    const node = new Api({ url: server.url, ca: server.ca, certificate });
    const review = { apiVersion: 'authentication.k8s.io/v1beta1', kind: 'SelfSubjectReview' };
    const { status } = (await node.post('/apis/authentication.k8s.io/v1beta1/selfsubjectreviews', review)).json();
    expect(status.userInfo).toMatchObject({
      username: 'system:node:n2',
      groups: expect.arrayContaining(['system:nodes']),
    });
    node.close();
  });

  test('anybody reads cluster-info, whose kubeconfig leads to the server', async () => {
    const nobody = new Api({ url: server.url, ca: server.ca });
    const { data } = (await nobody.get(CLUSTER_INFO)).json();
    expect(parse(data?.kubeconfig ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: '',
          cluster: { server: server.url, 'certificate-authority-data': Buffer.from(server.ca).toString('base64') },
        },
      ],
    });
    expect((await nobody.get('/api/v1/namespaces/kube-public/configmaps/other')).status).toBe(403);
    nobody.close();
  });

  test('cluster-info is signed by each token that signs, for as long as there is one', async () => {
    const admin = new Api(server);
    const signatures = async () => {
      const { data = {} } = (await admin.get(CLUSTER_INFO)).json();
      return Object.entries(data).filter(([name]) => name.startsWith('jws-kubeconfig-'));
    };
    const kubeconfig = (await admin.get(CLUSTER_INFO)).json().data?.kubeconfig ?? '';
    await expect.poll(signatures).toEqual([['jws-kubeconfig-abc123', signatureOf(kubeconfig)]]);
    const changed = `${kubeconfig}# changed\n`;
    expect((await admin.patch(CLUSTER_INFO, 'merge', { data: { kubeconfig: changed } })).status).toBe(200);
    await expect.poll(signatures).toEqual([['jws-kubeconfig-abc123', signatureOf(changed)]]);
    expect((await admin.patch(CLUSTER_INFO, 'merge', { data: { 'jws-kubeconfig-zzz999': 'forged' } })).status).toBe(
      200,
    );
    await expect.poll(signatures).toEqual([['jws-kubeconfig-abc123', signatureOf(changed)]]);
    admin.close();
  });

  test('a token that has ended signs no more, and its Secret is deleted; others of kube-system stay', async () => {
    const admin = new Api(server);
    const stringData = {
      ...{ 'token-id': 'def456', 'token-secret': '0123456789abcdef', 'usage-bootstrap-signing': 'true' },
      expiration: new Date(Date.now() + 3_000).toISOString(),
    };
    const metadata = { name: 'bootstrap-token-def456' };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'bootstrap.kubernetes.io/token', stringData };
    expect((await admin.post(SECRETS, secret)).status).toBe(201);
    const other = { ...secret, metadata: { name: 'other' }, type: 'Opaque' };
    expect((await admin.post(SECRETS, other)).status).toBe(201);
    await expect.poll(async () => (await admin.get(`${SECRETS}/bootstrap-token-def456`)).status).toBe(404);
    const names = async () => Object.keys((await admin.get(CLUSTER_INFO)).json().data ?? {});
    await expect.poll(names).not.toContain('jws-kubeconfig-def456');
    expect((await admin.get(`${SECRETS}/other`)).status).toBe(200);
    admin.close();
  });

  test('each time another token, which ends, in the names of the profile', async () => {
    const args = ['bootstrap-token', '--server=https://x', `--cert-dir=${pki}`, '-o', 'json'];
    const [first, second] = await Promise.all([orchctl(args), orchctl([...args, '--ttl=0'])]);
    const secrets = [first, second].map(({ stdout }) => JSON.parse(stdout).items[0]);
    expect(secrets[0].type).toBe('bootstrap.orch.io/token');
    for (const { stringData, metadata } of secrets) {
      expect(stringData['token-secret']).toMatch(/^[a-z0-9]{16}$/);
      expect(metadata.name).toBe(`bootstrap-token-${stringData['token-id']}`);
    }
    expect(secrets[0].stringData['token-secret']).not.toBe(secrets[1].stringData['token-secret']);
    const left = Date.parse(secrets[0].stringData.expiration) - Date.now();
    expect(left).toBeGreaterThan(23 * 3_600_000);
    expect(left).toBeLessThan(25 * 3_600_000);
    expect(secrets[1].stringData).not.toHaveProperty('expiration');
  });

  test.each([
    ['a token in another form', ['--token=secretsecret'], '--token: does not match'],
    ['a group outside of system:bootstrappers', ['--group=system:masters'], '--group: "system:masters" does not match'],
  ])('%s is refused, and no secret quoted', async (_, args, message) => {
    const { code, stdout, stderr } = await orchctl(['bootstrap-token', '--server=https://x', ...args]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('secretsecret');
  });
});

/** The request by which a kubelet asks for its first certificate, and its key. */
function nodeRequest(node: string) {
  const key = join(dir, `${node}.key`);
  const subject = `/O=system:nodes/CN=system:node:${node}`;
  const args = ['req', '-new', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-subj', subject];
  const pem = execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const spec = {
    request: pem.toString('base64'),
    signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
    usages: ['digital signature', 'key encipherment', 'client auth'],
  };
  const kind = { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest' };
  return { request: { ...kind, metadata: { name: `join-${node}` }, spec }, key: readFileSync(key, 'utf8') };
}

/** Signs with openssl, as the reference does with a library of its own: RFC 7515, HMAC-SHA256, detached. */
function signatureOf(text: string): string {
  const header = Buffer.from('{"alg":"HS256","kid":"abc123"}').toString('base64url');
  const input = `${header}.${Buffer.from(text).toString('base64url')}`;
  const mac = execFileSync('openssl', ['dgst', '-sha256', '-hmac', TOKEN.slice(7), '-binary'], { input });
  return `${header}..${mac.toString('base64url')}`;
}

function mkdir(name: string): string {
  mkdirSync(join(dir, name));
  return join(dir, name);
}

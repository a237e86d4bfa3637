import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../tools/up/index.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { findKubectl, KUBECTL_BUILD_MS, Kubectl } from './kubectl.js';

const MAX_WAIT_MS = 10_000;
const CLIENT = 'kubernetes.io/kube-apiserver-client';

interface Made {
  readonly keyFile: string;
  readonly request: string;
}

describe.each(['1.27', '1.33'] as const)('certificates with kubectl %s', (release) => {
  let server: Standalone;
  let file: string;
  let kubectl: Kubectl;
  let dir: string;
  let count = 0;

  beforeAll(async () => {
    file = findKubectl(release);
    dir = mkdtempSync(join(tmpdir(), 'kubectl-certificates-'));
    server = await startStandalone({ naming: 'kubernetes' });
    kubectl = new Kubectl(file, server.kubeconfig);
    await kubectl.ok(['create', 'clusterrole', 'asker', '--verb=create,get', '--resource=csr']);
    await kubectl.ok(['create', 'clusterrolebinding', 'askers', '--clusterrole=asker', '--group=ops']);
  }, KUBECTL_BUILD_MS);
  afterAll(async () => {
    await server?.stop();
    if (dir) rmSync(dir, { recursive: true });
  });

  /** A request as people make them. */
  function made(subject: string, newKey: readonly string[], ...more: readonly string[]): Made {
    const keyFile = join(dir, `${count++}.key`);
    const args = ['req', '-new', '-newkey', ...newKey, '-nodes', '-keyout', keyFile, '-subj', subject, ...more];
    return {
      keyFile,
      request: execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    };
  }

  async function ask(name: string, { request }: Made, signerName: string, usages: string[], spec = {}, by = kubectl) {
    const object = {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name },
      spec: { request: Buffer.from(request).toString('base64'), signerName, usages, ...spec },
    };
    return by.run(['create', '-f', '-', '-o', 'json'], { input: JSON.stringify(object) });
  }

  /** A kubectl of whoever has a certificate. */
  function as(certFile: string, keyFile: string): Kubectl {
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'c',
          cluster: { server: server.url, 'certificate-authority-data': Buffer.from(server.ca).toString('base64') },
        },
      ],
      users: [{ name: 'u', user: { 'client-certificate': certFile, 'client-key': keyFile } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    const path = join(dir, `${count++}.kubeconfig`);
    writeFileSync(path, JSON.stringify(config));
    return new Kubectl(file, path);
  }

  async function certificateOf(name: string): Promise<string> {
    const get = () => kubectl.ok(['get', 'csr', name, '-o', 'jsonpath={.status.certificate}']);
    await waitUntil('the certificate is there', MAX_WAIT_MS, async () => (await get()) !== '');
    return Buffer.from(await get(), 'base64').toString();
  }

  const conditions = async (name: string) =>
    JSON.parse(await kubectl.ok(['get', 'csr', name, '-o', 'json'])).status.conditions ?? [];

  test.each([
    ['rsa', ['rsa:2048']],
    ['ec', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256']],
    ['ed25519', ['ed25519']],
  ])('what is approved ends in a certificate that works here: %s', async (kind, newKey) => {
    const name = `jane-${kind}`;
    const asked = made(`/O=dev/O=ops/CN=${name}`, newKey);
    expect((await ask(name, asked, CLIENT, ['client auth'], { expirationSeconds: 3600 })).code).toBe(0);
    expect(await kubectl.ok(['get', 'csr', name, '--no-headers'])).toMatch(/admin\s+60m\s+Pending/);
    expect(await kubectl.ok(['certificate', 'approve', name])).toContain(`${name} approved`);
    const certFile = join(dir, `${name}.crt`);
    writeFileSync(certFile, await certificateOf(name));
    expect(await kubectl.ok(['get', 'csr', name, '--no-headers'])).toContain('Approved,Issued');
    const { stdout } = await ask(
      `by-${name}`,
      asked,
      'example.com/s',
      ['client auth'],
      {},
      as(certFile, asked.keyFile),
    );
    expect(JSON.parse(stdout).spec).toMatchObject({
      username: name,
      groups: ['dev', 'ops', 'system:authenticated'],
    });
    const { validFrom, validTo, ca } = new X509Certificate(await certificateOf(name));
    const age = (Date.parse(validTo) - Date.parse(validFrom)) / 1000;
    expect([age, ca]).toEqual([3600 + 300, false]);
  });

  test('is approved by who may approve for its signer', async () => {
    const asked = made('/O=ops/O=approvers/CN=joan', ['ed25519']);
    await ask('joan', asked, CLIENT, ['client auth']);
    await kubectl.ok(['certificate', 'approve', 'joan']);
    const certFile = join(dir, 'joan.crt');
    writeFileSync(certFile, await certificateOf('joan'));
    const joan = as(certFile, asked.keyFile);
    const role = (name: string, ...args: string[]) => kubectl.ok(['create', 'clusterrole', name, ...args]);
    const bind = (name: string) =>
      kubectl.ok(['create', 'clusterrolebinding', name, `--clusterrole=${name}`, '--group=approvers']);
    await role('updater', '--verb=update', '--resource=certificatesigningrequests/approval');
    await bind('updater');
    await ask('later', made('/CN=later', ['ed25519']), CLIENT, ['client auth']);
    const why = `user not permitted to approve requests with signerName "${CLIENT}"`;
    const said = async () => (await joan.run(['certificate', 'approve', 'later'])).stderr;
    await waitUntil('rights hold', MAX_WAIT_MS, async () => (await said()).includes(why));
    await kubectl.ok([
      'patch',
      'clusterrole',
      'updater',
      '--type=json',
      '-p',
      JSON.stringify([
        {
          op: 'add',
          path: '/rules/-',
          value: {
            verbs: ['approve'],
            apiGroups: ['certificates.k8s.io'],
            resources: ['signers'],
            resourceNames: ['kubernetes.io/*'],
          },
        },
      ]),
    ]);
    await waitUntil('rights hold', MAX_WAIT_MS, async () => (await said()) === '');
    await certificateOf('later');
  });

  test('what is denied stays without one', async () => {
    const asked = made('/CN=joe', ['ed25519']);
    await ask('joe', asked, CLIENT, ['client auth']);
    expect(await kubectl.ok(['certificate', 'deny', 'joe'])).toContain('joe denied');
    expect(await kubectl.refused(['certificate', 'approve', 'joe'])).toContain('"joe" is already Denied');
    expect(await kubectl.ok(['get', 'csr', 'joe', '--no-headers'])).toContain('Denied');
  });

  test('what a signer refuses says why', async () => {
    await ask('wrong', made('/CN=wrong', ['ed25519']), CLIENT, ['client auth', 'server auth']);
    await kubectl.ok(['certificate', 'approve', 'wrong']);
    await waitUntil('it has failed', MAX_WAIT_MS, async () => (await conditions('wrong')).length === 2);
    expect((await conditions('wrong'))[1]).toMatchObject({
      type: 'Failed',
      status: 'True',
      reason: 'SignerValidationFailure',
      message: 'invalid usage for client certificate: server auth',
      lastUpdateTime: expect.stringMatching(/Z$/),
    });
    const { stderr } = await ask('root', made('/O=system:masters/CN=root', ['ed25519']), CLIENT, ['client auth']);
    expect(stderr).toContain(
      'use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    );
  });

  test("a node's own certificate is approved by itself, one to serve with is not", async () => {
    const node = '/O=system:nodes/CN=system:node:a';
    const usages = ['digital signature', 'client auth'];
    await ask('node', made(node, ['ed25519']), 'kubernetes.io/kube-apiserver-client-kubelet', usages);
    expect(new X509Certificate(await certificateOf('node')).subject).toBe('O=system:nodes\nCN=system:node:a');
    expect(await conditions('node')).toMatchObject([{ type: 'Approved', reason: 'AutoApproved' }]);
    const names = ['-addext', 'subjectAltName=DNS:a.example,IP:10.0.0.1'];
    const serving = made(node, ['ed25519'], ...names);
    await ask('serving', serving, 'kubernetes.io/kubelet-serving', ['digital signature', 'server auth']);
    expect(await conditions('serving')).toEqual([]);
    await kubectl.ok(['certificate', 'approve', 'serving']);
    const { subjectAltName, keyUsage } = new X509Certificate(await certificateOf('serving'));
    expect([subjectAltName, keyUsage]).toEqual(['DNS:a.example, IP Address:10.0.0.1', ['1.3.6.1.5.5.7.3.1']]);
  });

  test('signers of others are left to them', async () => {
    await ask('other', made('/CN=other', ['ed25519']), 'example.com/own', ['client auth']);
    await kubectl.ok(['certificate', 'approve', 'other']);
    await ask('next', made('/CN=next', ['ed25519']), CLIENT, ['client auth']);
    await kubectl.ok(['certificate', 'approve', 'next']);
    await certificateOf('next');
    expect(await kubectl.ok(['get', 'csr', 'other', '--no-headers'])).toMatch(/Approved\s*$/);
  });
});

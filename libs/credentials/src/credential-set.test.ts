import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { servingOptions } from '@orch/apiserver';
import { ensurePki, type Pki } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { createLogger, defineOptions } from '@orch/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readCredentials } from './credential-set.js';
import { ReloadableCredentials } from './credentials.js';

const names = namesOf('orch');
let dir: string;
let certDir: string;
let pki: Pki;
let count = 0;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'credentials-'));
  pki = await ensurePki({ certDir: join(dir, 'made'), bindAddress: '127.0.0.1', names });
});
beforeEach(() => {
  certDir = join(dir, `pki-${count++}`);
});
afterAll(() => rmSync(dir, { recursive: true }));

const optionsOf = (...args: string[]) => defineOptions(servingOptions).parse([`--cert-dir=${certDir}`, ...args]).values;
const read = (...args: string[]) => readCredentials(optionsOf(...args), names);
const serving = () => [`--tls-cert-file=${pki.serving.certFile}`, `--tls-private-key-file=${pki.serving.keyFile}`];
const proxied = () => [
  `--requestheader-client-ca-file=${pki.proxyCa.certFile}`,
  `--proxy-client-cert-file=${pki.proxy.certFile}`,
  `--proxy-client-key-file=${pki.proxy.keyFile}`,
];

describe('readCredentials', () => {
  it('makes what no file is named for', async () => {
    const set = await read('--kubeconfig-out=x');
    expect(existsSync(join(certDir, 'ca.key')) && existsSync(join(certDir, 'front-proxy-ca.key'))).toBe(true);
    expect(set.servingCa).toContain('BEGIN CERTIFICATE');
    expect([set.trust.clients.size, set.trust.proxies.size]).toEqual([2, 1]);
    const made = [
      'admin',
      'agent-client',
      'ca',
      'cluster-signing',
      'front-proxy',
      'gateway-client',
      'proxy',
      'proxy-ca',
      'serving',
    ];
    expect(set.certificates.map(({ certificate }) => certificate).sort()).toEqual(made);
    expect(set.certificates.every(({ file }) => file.startsWith(certDir) && existsSync(file))).toBe(true);
    const nameOf = (pair?: { cert: string }) => pair && new X509Certificate(pair.cert).subject;
    expect([nameOf(set.gatewayClient), nameOf(set.proxy)]).toEqual(['CN=gateway-client', 'CN=aggregator-client']);
    expect(nameOf(set.agents.client)).toBe('O=system:masters\nCN=apiserver-kubelet-client');
  });

  it('tells of what it made only where it is in use', async () => {
    const gateway = [
      `--gateway-client-cert-file=${pki.gatewayClient.certFile}`,
      `--gateway-client-key-file=${pki.gatewayClient.keyFile}`,
    ];
    const [, ...shown] = proxied();
    const agents = [`--kubelet-client-certificate=${pki.admin.certFile}`, `--kubelet-client-key=${pki.admin.keyFile}`];
    const { certificates } = await read(...serving(), ...shown, ...gateway, ...agents, '--kubeconfig-out=x');
    const files = (name: string) =>
      certificates.filter(({ certificate }) => certificate === name).map(({ file }) => file);
    expect([files('serving'), files('proxy'), files('gateway-client')]).toEqual([
      [pki.serving.certFile],
      [pki.proxy.certFile],
      [pki.gatewayClient.certFile],
    ]);
    expect(files('admin')).toEqual([join(certDir, 'admin.crt')]);
    expect(files('agent-client')).toEqual([pki.admin.certFile]);
  });

  it('certifies the address of the Service of the API in each family', async () => {
    const set = await read('--service-cluster-ip-range=10.7.0.0/16,fd00:7::/112');
    const certificate = new X509Certificate(set.serving.cert);
    for (const address of ['10.7.0.1', 'fd00:7::1']) expect(certificate.checkIP(address)).toBe(address);
    expect(certificate.checkIP('10.96.0.1')).toBeUndefined();
  });

  it('makes and looks for nothing when all are named', async () => {
    const set = await read(...serving(), ...proxied(), `--client-ca-file=${pki.ca.certFile},${pki.ca.certFile}`);
    expect(existsSync(certDir)).toBe(false);
    expect(set.serving.cert).toBe(pki.serving.cert);
    expect(set.proxy?.key).toBe(pki.proxy.key);
    expect(set.servingCa, 'those of the system').toBeUndefined();
    expect(set.certificates.map(({ certificate, file }) => [certificate, file])).toEqual([
      ['serving', pki.serving.certFile],
      ['client-ca', pki.ca.certFile],
      ['client-ca', pki.ca.certFile],
      ['proxy-ca', pki.proxyCa.certFile],
      ['proxy', pki.proxy.certFile],
    ]);
    expect([set.trust.clients.size, set.trust.proxies.size, set.admin]).toEqual([1, 1, undefined]);
    expect((await read(...serving(), ...proxied(), `--tls-ca-file=${pki.ca.certFile}`)).servingCa).toBe(pki.ca.cert);
  });

  it("believes the folder's authorities beside files only for an administrator that it makes", async () => {
    expect((await read(...serving())).trust.clients.size).toBe(0);
    expect((await read(...serving(), '--kubeconfig-out=x')).trust.clients.size).toBe(2);
  });

  it('has identities for gateways and servers of group-versions only where there are any', async () => {
    const { proxy, gatewayClient } = await read(...serving(), `--requestheader-client-ca-file=${pki.proxyCa.certFile}`);
    expect([proxy, gatewayClient]).toEqual([undefined, undefined]);
  });

  it('shows gateways what is for them, else what is shown to servers of group-versions', async () => {
    const { certFile, keyFile, cert } = pki.gatewayClient;
    expect((await read(...serving(), ...proxied())).gatewayClient?.cert).toBe(pki.proxy.cert);
    const own = [`--gateway-client-cert-file=${certFile}`, `--gateway-client-key-file=${keyFile}`];
    const set = await read(...serving(), ...proxied(), ...own);
    expect([set.gatewayClient?.cert, set.proxy?.cert]).toEqual([cert, pki.proxy.cert]);
    const [, ...shownToOthers] = proxied();
    const made = await read(...serving(), ...shownToOthers);
    expect(new X509Certificate(made.gatewayClient?.cert ?? '').subject).toBe('CN=gateway-client');
  });

  it('tells servers of group-versions its own name among those of front proxies, where these are told apart', async () => {
    expect((await read()).authorities.proxyNames).toEqual([]);
    const named = await read('--requestheader-allowed-names=balancer,aggregator-client');
    expect(named.authorities.proxyNames).toEqual(['balancer', 'aggregator-client']);
    expect((await read('--requestheader-allowed-names=balancer')).authorities.proxyNames).toEqual([
      'balancer',
      'aggregator-client',
    ]);
  });

  it('takes watches that are handed on only where it is said to', async () => {
    expect((await read()).trust.takesHandedWatches).toBe(false);
    expect((await readCredentials(optionsOf(), names, true)).trust.takesHandedWatches).toBe(true);
  });

  it.each([
    ['a certificate without its key', () => [`--tls-cert-file=${pki.serving.certFile}`], 'must be given together'],
    [
      'a key of another certificate',
      () => [`--tls-cert-file=${pki.serving.certFile}`, `--tls-private-key-file=${pki.admin.keyFile}`],
      'does not match',
    ],
    ['an authority that is none', () => [`--client-ca-file=${pki.ca.keyFile}`], 'ca.key: it contains no certificate'],
    ['a file that is not there', () => ['--client-ca-file=/none/such'], 'ENOENT'],
    [
      'an authority of callers as that of proxies',
      () => [`--client-ca-file=${pki.ca.certFile}`, `--requestheader-client-ca-file=${pki.ca.certFile}`],
      '--requestheader-allowed-names is needed',
    ],
  ])('refuses %s', (_, args, message) => expect(read(...args())).rejects.toThrow(message));

  it('takes an authority of both when proxies are known by name', async () => {
    const both = [`--client-ca-file=${pki.ca.certFile}`, `--requestheader-client-ca-file=${pki.ca.certFile}`];
    const set = await read(...both, '--requestheader-allowed-names=balancer');
    expect(set.trust.proxyNames).toEqual(['balancer']);
  });
});

describe('what certificate requests are signed with', () => {
  const signing = (prefix = 'cluster-signing') => [
    `--${prefix}-cert-file=${pki.ca.certFile}`,
    `--${prefix}-key-file=${pki.ca.keyFile}`,
  ];
  const fingerprint = (cert: string) => new X509Certificate(cert).fingerprint256;

  it('is made once for all signers, believed, and nobody serves with what it signs', async () => {
    const first = await read();
    const [pair] = [...first.signing.signers.values()];
    expect([...first.signing.signers.values()].every((each) => each === pair)).toBe(true);
    expect([...first.signing.signers.keys()]).toEqual([
      'kube-apiserver-client',
      'kubelet-client',
      'kubelet-serving',
      'legacy-unknown',
    ]);
    expect(pair?.cert).not.toBe(first.servingCa);
    expect(first.trust.clients.has(fingerprint(pair?.cert ?? ''))).toBe(true);
    expect(first.authorities.clients).toContain(pair?.cert);
    expect((await read()).signing).toEqual(first.signing);
  });

  it('is what the options name, believed beside other files', async () => {
    const set = await read(...serving(), ...proxied(), ...signing());
    expect(existsSync(certDir)).toBe(false);
    expect(set.signing.signers.get('kubelet-serving')).toEqual({ cert: pki.ca.cert, key: pki.ca.key });
    expect(new Set(set.trust.clients.keys())).toEqual(new Set([fingerprint(pki.ca.cert)]));
  });

  it('is nothing where nothing is made and none is named', async () => {
    expect((await read(...serving(), ...proxied())).signing).toEqual({
      signers: new Map(),
      believed: [],
      certificates: [],
    });
  });

  it('is believed without its key, by who signs nothing', async () => {
    const set = await read(...serving(), ...proxied(), `--cluster-signing-cert-file=${pki.ca.certFile}`);
    expect([set.signing.signers.size, set.trust.clients.size]).toEqual([0, 1]);
  });

  it('is that of each signer that has its own, and is believed where it signs for clients', async () => {
    const serves = await read(...serving(), ...proxied(), ...signing('cluster-signing-kubelet-serving'));
    expect([[...serves.signing.signers.keys()], serves.trust.clients.size]).toEqual([['kubelet-serving'], 0]);
    const client = await read(...serving(), ...proxied(), ...signing('cluster-signing-kubelet-client'));
    expect([[...client.signing.signers.keys()], client.trust.clients.size]).toEqual([['kubelet-client'], 1]);
  });

  it.each<[string, () => string[], string]>([
    ['a key without its certificate', () => [`--cluster-signing-key-file=${pki.ca.keyFile}`], 'must be given together'],
    [
      'files of all and of one',
      () => [...signing(), ...signing('cluster-signing-kubelet-client')],
      'cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time',
    ],
    [
      'a certificate of no authority',
      () => [`--cluster-signing-cert-file=${pki.admin.certFile}`, `--cluster-signing-key-file=${pki.admin.keyFile}`],
      'admin.crt: the certificate is not that of a certificate authority',
    ],
    [
      'an authority of front proxies',
      () => [
        `--cluster-signing-cert-file=${pki.proxyCa.certFile}`,
        `--cluster-signing-key-file=${pki.proxyCa.keyFile}`,
        ...proxied(),
      ],
      '--requestheader-allowed-names is needed',
    ],
  ])('is never %s', (_what, args, message) => expect(read(...args())).rejects.toThrow(message));
});

describe('Credentials', () => {
  it('follow their files, and pass over a certificate whose key has not come yet', async () => {
    const [certFile, keyFile] = [join(dir, 'tls.crt'), join(dir, 'tls.key')];
    writeFileSync(keyFile, pki.serving.key);
    writeFileSync(certFile, pki.serving.cert);
    const options = optionsOf(`--tls-cert-file=${certFile}`, `--tls-private-key-file=${keyFile}`);
    let log = '';
    const write = (line: string) => {
      log += line;
    };
    const logger = createLogger({ format: 'text', verbosity: 0, write });
    const credentials = await ReloadableCredentials.open({ options, names, logger });
    const seen: string[] = [];
    credentials.onChange(async (set) => void seen.push(set.serving.cert));
    try {
      writeFileSync(certFile, pki.proxy.cert);
      await expect.poll(() => log).toContain('tls.crt does not match');
      expect(credentials.current.serving.cert).toBe(pki.serving.cert);
      writeFileSync(keyFile, pki.proxy.key);
      await expect.poll(() => credentials.current.serving).toEqual({ cert: pki.proxy.cert, key: pki.proxy.key });
      expect(seen).toEqual([pki.proxy.cert]);
      expect(log).not.toContain('PRIVATE KEY');
    } finally {
      credentials.close();
    }
  });

  it('follow certificates that are shown for a name, though nothing else changes', async () => {
    const [certFile, keyFile] = [join(dir, 'named.crt'), join(dir, 'named.key')];
    writeFileSync(certFile, pki.serving.cert);
    writeFileSync(keyFile, pki.serving.key);
    const options = optionsOf(`--tls-sni-cert-key=${certFile},${keyFile}:a.example.com`);
    const logger = createLogger({ format: 'text', verbosity: 0, write: () => undefined });
    const credentials = await ReloadableCredentials.open({ options, names, logger });
    try {
      writeFileSync(certFile, pki.admin.cert);
      writeFileSync(keyFile, pki.admin.key);
      await expect.poll(() => credentials.current.named[0]?.cert).toBe(pki.admin.cert);
    } finally {
      credentials.close();
    }
  });
});

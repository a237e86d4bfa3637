import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePki, type KeyPair, type Pki } from '@orch/authentication';
import { CertificateEnds, readCredentials } from '@orch/credentials';
import { namesOf } from '@orch/machinery';
import { defineOptions } from '@orch/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CertificateLooks } from './certificate-looks.js';
import { certificateSources } from './certificate-sources.js';
import { tierOptions } from './tier-service.js';

const names = namesOf('orch');
const options = defineOptions(tierOptions);
let dir: string;
let pki: Pki;
let others: Pki;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'certificate-options-'));
  const make = (folder: string) => ensurePki({ certDir: join(dir, folder), bindAddress: '127.0.0.1', names });
  [pki, others] = [await make('pki'), await make('others')];
});
afterAll(() => rmSync(dir, { recursive: true }));

/** A copy of a certificate in a file of its own. */
function copied({ certFile }: KeyPair, name: string): string {
  const copy = join(dir, `${name}.crt`);
  cpSync(certFile, copy);
  return copy;
}

/** A file that is JSON, and so YAML. */
function written(name: string, content: object): string {
  const file = join(dir, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

/** A kubeconfig with an authority in it and the file of a client certificate; both are files with certificates. */
function kubeconfig(option: string): string[] {
  const data = Buffer.from(pki.ca.cert).toString('base64');
  const named = copied(pki.admin, option);
  const file = written(`${option}.yaml`, {
    clusters: [
      { name: 'a', cluster: { server: 'https://a', 'certificate-authority-data': data } },
      { name: 'broken', cluster: { server: 'https://b', 'certificate-authority': '/none/such' } },
    ],
    users: [{ name: 'a', user: { 'client-certificate': named, 'client-key': pki.admin.keyFile } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    'current-context': 'a',
  });
  return [file, named];
}

/** What is given on a command line, and the files with certificates that must be told of for it. */
interface Case {
  readonly args: readonly string[];
  readonly files: readonly string[];
}
type Maker = (option: string) => Case;

const bundle =
  (more: () => readonly string[] = () => []): Maker =>
  (option) => {
    const file = copied(others.ca, option);
    return { args: [`--${option}=${file}`, ...more()], files: [file] };
  };

const pair =
  (keyOption: string, of: () => KeyPair = () => others.admin): Maker =>
  (option) => {
    const file = copied(of(), option);
    return { args: [`--${option}=${file}`, `--${keyOption}=${of().keyFile}`], files: [file] };
  };

const ofWebhook: Maker = (option) => {
  const files = kubeconfig(option);
  return { args: [`--${option}=${files[0]}`], files };
};

const ofUrl =
  (before = ''): Maker =>
  (option) => {
    const [ca, cert] = [copied(others.ca, `${option}-ca`), copied(others.admin, `${option}-cert`)];
    const query = `sslmode=verify-full&sslrootcert=${ca}&sslcert=${cert}&sslkey=${others.admin.keyFile}`;
    return { args: [`--${option}=${before}postgres://u@h/d?${query}`], files: [ca, cert] };
  };

const signing = (id: string): Record<string, Maker> => ({
  [`cluster-signing${id}-cert-file`]: pair(`cluster-signing${id}-key-file`, () => others.ca),
});

/** Options that name certificates, and how each is given. */
const MEASURED: Readonly<Record<string, Maker>> = {
  'tls-cert-file': pair('tls-private-key-file'),
  'tls-sni-cert-key': (option) => {
    const file = copied(others.admin, option);
    return { args: [`--${option}=${file},${others.admin.keyFile}:a.example.com`], files: [file] };
  },
  'tls-ca-file': bundle(),
  'client-ca-file': (option) => {
    const files = [copied(pki.ca, `${option}-1`), copied(others.ca, `${option}-2`)];
    return { args: [`--${option}=${files.join(',')}`], files };
  },
  'requestheader-client-ca-file': bundle(() => ['--requestheader-allowed-names=balancer']),
  'proxy-client-cert-file': pair('proxy-client-key-file'),
  'gateway-client-cert-file': pair('gateway-client-key-file'),
  ...signing(''),
  ...signing('-kube-apiserver-client'),
  ...signing('-kubelet-client'),
  ...signing('-kubelet-serving'),
  ...signing('-legacy-unknown'),
  'nats-ca-file': bundle(),
  'nats-cert-file': pair('nats-key-file'),
  'redis-ca-file': bundle(),
  'oidc-ca-file': bundle(),
  'root-ca-file': bundle(),
  'kubelet-certificate-authority': bundle(),
  'kubelet-client-certificate': pair('kubelet-client-key'),
  'postgres-url': ofUrl(),
  'postgres-read-url': ofUrl(),
  'storage-override': ofUrl('events='),
  'authentication-token-webhook-config-file': ofWebhook,
  'authorization-webhook-config-file': ofWebhook,
  'audit-webhook-config-file': ofWebhook,
  'admission-control-config-file': (option) => {
    const [webhooks, images] = [kubeconfig(`${option}-webhooks`), kubeconfig(`${option}-images`)];
    const named = written(`${option}-images.json`, { imagePolicy: { kubeConfigFile: images[0] } });
    const configuration = {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'WebhookAdmissionConfiguration',
      kubeConfigFile: webhooks[0],
    };
    const file = written(`${option}.json`, {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AdmissionConfiguration',
      plugins: [
        { name: 'ValidatingAdmissionWebhook', configuration },
        { name: 'ImagePolicyWebhook', path: named },
      ],
    });
    return { args: [`--${option}=${file}`], files: [...webhooks, ...images] };
  },
};

/** Options that name files, or speak of certificates, in which there are none whose end matters; and why. */
const WITHOUT: Readonly<Record<string, string>> = {
  'cert-dir': 'what is made there is told of by what it is for',
  'data-dir': 'the database is reached through a socket in it',
  'kubeconfig-out': 'it is written; the certificate in it is that of --cert-dir',
  'public-url': 'an address for the kubeconfig',
  'audit-log-path': 'it is written',
  'audit-policy-file': 'rules alone',
  'encryption-provider-config': 'keys, and sockets of this machine',
  'tracing-config-file': 'the address of a collector; it is believed by the roots that Node ships',
  'token-auth-file': 'tokens',
  'service-account-key-file': 'keys: a certificate is one as long as it is named',
  'service-account-signing-key-file': 'a key',
  'service-account-issuer': 'a name',
  'kubelet-client-users': 'names',
  'nats-credentials-file': 'a JWT and a key',
  'nats-password-file': 'a password',
  'nats-token-file': 'a token',
  'redis-key-file': 'a secret',
  'advertise-host': 'names that go into a certificate',
  'requestheader-allowed-names': 'names in certificates',
  'runtime-config': 'names of groups, versions and resources',
  'enable-admission-plugins': 'names of plugins',
  'oidc-issuer-url': 'an address; --oidc-ca-file says what it is believed by',
  config: 'of a scheduler: a kubeconfig that it names',
  kubeconfig: 'of a scheduler, which is a client: it tells of its requests that fail',
  'write-config-to': 'it is written',
  'node-config': 'of a node agent, as its options are',
  'scheduler-config': 'of a scheduler: what it names of a connection has no effect',
  'authentication-kubeconfig': 'of a scheduler, as its kubeconfig',
  'authorization-kubeconfig': 'of a scheduler, as its kubeconfig',
  master: 'of a scheduler: an address',
  'kube-api-content-type': 'of a scheduler and a node agent: a form of objects',
  'pod-logs-dir': 'of a node agent: logs',
  'container-log-links': 'of a node agent: links to logs',
  'bootstrap-kubeconfig': 'of a node agent: it is used until there is a certificate',
  'hostname-override': 'a name',
  'manifest-url': 'of a node agent: an address, believed by the roots that Node ships',
  'manifest-url-header': 'headers',
  'pod-manifest-path': 'pods',
  'process-images': 'images',
  'root-dir': 'pods and their volumes',
  'gateway-url': 'addresses; --tls-ca-file says what they are believed by',
  'redis-url': 'an address; --redis-ca-file says what it is believed by',
  'nats-url': 'addresses; --nats-ca-file says what they are believed by',
};

/** Options whose files are read again while a server runs, beside those of a `CredentialSet`. */
const FOLLOWED: readonly string[] = ['nats-ca-file', 'nats-cert-file', 'authentication-token-webhook-config-file'];

/** Certificates in files of an option's own key: they belong to another option. */
const isKey = (name: string): boolean => /-key(-file)?$/.test(name) && name !== 'tls-sni-cert-key';

/** Every option of every command that takes a text, with what is said of it but for other options: the page is made from their tables, and checked against them. */
const ALL = [
  ...readFileSync(fileURLToPath(new URL('../../../../docs/reference.md', import.meta.url)), 'utf8').matchAll(
    /^\| `--([a-z0-9-]+)=(?:text|value)[^`]*` \| [^|]*\| (.*) \|$/gm,
  ),
].map(([, name = '', help = '']) => ({ name, help: help.replace(/--[a-z-]+/g, '') }));

const maySayCertificates = ({ name, help }: { name: string; help: string }): boolean =>
  /(file|path|dir|config|cert|certificate|authority|url|override)\b/.test(name) ||
  /\bfiles?\b|folder|certificate|authorit(y|ies) of|kubeconfig|postgres:|redis:|https?:|sslmode/i.test(help);

describe('options that may name certificates', () => {
  it('are told of, or there is a reason why not', () => {
    expect(ALL.length).toBeGreaterThan(80);
    const suspects = ALL.filter(maySayCertificates).map(({ name }) => name);
    const unknown = suspects.filter((name) => !isKey(name) && !(name in MEASURED) && !(name in WITHOUT));
    expect(unknown, 'measure it in certificate-sources.ts, or say here why not').toEqual([]);
    expect(Object.keys({ ...MEASURED, ...WITHOUT }).filter((name) => !suspects.includes(name))).toEqual([]);
    expect(Object.keys(MEASURED).filter((name) => name in WITHOUT)).toEqual([]);
  });

  it('are told of file by file: one that cannot be read hides no other', async () => {
    const [ca, cert, kubeconfigCa] = ['a-ca', 'a-cert', 'a-kubeconfig'].map((name) => copied(others.ca, name));
    const kubeconfigOf = (name: string, file: string) =>
      written(name, { clusters: [{ name: 'a', cluster: { server: 'https://a', 'certificate-authority': file } }] });
    const plugin = (name: string, kubeConfigFile: string) => ({ name, configuration: { kubeConfigFile } });
    const admission = written('some-plugins.json', {
      ...{ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration' },
      plugins: [
        plugin('ImagePolicyWebhook', '/none/such'),
        plugin('ValidatingAdmissionWebhook', kubeconfigOf('good.yaml', String(kubeconfigCa))),
      ],
    });
    const { values } = options.parse([
      `--postgres-url=postgres://u@h/d?sslmode=verify-full&sslrootcert=${ca}&sslcert=/none/such`,
      `--storage-override=a=postgres://u@h/a?sslmode=verify-full&sslrootcert=/none/such`,
      `--storage-override=b=postgres://u@h/b?sslmode=verify-full&sslrootcert=${cert}`,
      `--admission-control-config-file=${admission}`,
    ]);
    const ends = new CertificateEnds();
    (await CertificateLooks.open({ sources: certificateSources(values, values), ends })).close();
    expect(ends.series().map(([[, file]]) => file)).toEqual([ca, cert, kubeconfigCa]);
  });

  it.each(Object.entries(MEASURED))('--%s is told of', async (option, make) => {
    const { args, files } = make(option);
    const base = option === 'postgres-url' ? [] : ['--postgres-url=postgres://u@h/d'];
    const { values } = options.parse([`--cert-dir=${join(dir, 'pki')}`, ...base, ...args]);
    const { certificates } = await readCredentials(values, names);
    const named = await Promise.all(certificateSources(values, values).map(({ read }) => read()));
    const reported = [...certificates, ...named.flat()].filter(({ pem }) => pem.includes('BEGIN CERTIFICATE'));
    expect(reported.map(({ file }) => file)).toEqual(expect.arrayContaining([...files]));
    // The files of a user's certificate are followed by all who connect as a kubeconfig says.
    for (const { file, isFollowed } of named.flat())
      expect([file, isFollowed]).toEqual([file, FOLLOWED.includes(option) || /config-file.*\.crt$/.test(file)]);
  });
});

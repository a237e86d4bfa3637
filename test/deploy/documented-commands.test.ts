import { execFile, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { EXECUTABLE } from '../../tools/up/index.js';
import { findKubectl, KUBECTL_BUILD_MS } from '../clients/kubectl.js';
import { Api, type ApiList } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { type Example, examplesOf } from './documents.js';
import { CHART, DEPLOY, helm, helmOk, type Manifest, parseManifests } from './helm.js';

const PAGES = ['deploy.md', 'upgrade.md', 'rotation.md', 'tutorials/helm.md'];
const TEST_MS = 240_000;
const DEPLOYMENTS = '/apis/apps/v1/namespaces/orch/deployments';

/** Beginnings of what needs more than a server of the API, and which test runs it, or why none does. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'make up': 'test/cluster, by what it calls',
  'make test-on-cluster': 'itself a run of tests, as root',
  'podman build': 'container.test.ts, step by step',
  'PREVIOUS_EXECUTABLE=': 'a test itself',
  'CREATE ROLE': 'rotation/rotation.test.ts',
  'kubectl get statefulsets -A': 'test/clients, where there are StatefulSets',
};
/** Commands that are only spoken of, not given. */
const NAMES = [
  'helm uninstall',
  'helm template',
  'helm rollback',
  'helm upgrade',
  'helm get values',
  'kubectl exec',
  'kubectl -n orch set image',
];
/** Placeholders of the documents, with their values. */
const PLACES: readonly (readonly [string, string])[] = [
  ['generic NAME --from-file=KEY=FILE', 'generic client-ca --from-file=ca.crt=FILE'],
];

const isShell = ({ text }: Example) => /^(helm|kubectl|echo|printf|umask|openssl|pki) /.test(text);
const isElsewhere = ({ text }: Example) => Object.keys(ELSEWHERE).some((beginning) => text.startsWith(beginning));
const all = PAGES.flatMap(examplesOf).filter(({ text }) => !NAMES.includes(text));
/** Sections that bring an installation of their own, or an end of it; all others of a page are run one after another. */
const APART = ['With Helm', 'Without Helm', 'Authorities'];
const runs = new Map<string, string[]>();
for (const example of all.filter((each) => isShell(each) && !isElsewhere(each))) {
  const name = APART.includes(example.section) ? `${example.page}: ${example.section}` : example.page;
  runs.set(name, [...(runs.get(name) ?? []), example.text]);
}
const AUTHORITIES = 'rotation.md: Authorities';

let server: Standalone;
let api: Api;
let dir: string;
let controller: NodeJS.Timeout;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orch-documents-'));
  mkdirSync(join(dir, 'bin'));
  symlinkSync(helm(), join(dir, 'bin', 'helm'));
  symlinkSync(findKubectl('1.33'), join(dir, 'bin', 'kubectl'));
  symlinkSync(DEPLOY, join(dir, 'deploy'));
  writeFileSync(join(dir, 'FILE'), 'any');
  server = await startStandalone();
  api = new Api(server);
  controller = setInterval(() => void bringUp().catch(() => undefined), 200);
}, KUBECTL_BUILD_MS);
afterAll(async () => {
  clearInterval(controller);
  api?.close();
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Says of every Deployment that its pods run, as its controller does when they do. */
async function bringUp(): Promise<void> {
  const answer = await api.get(DEPLOYMENTS);
  for (const { metadata, spec, status } of answer.json<ApiList>().items ?? []) {
    if (status?.observedGeneration === metadata.generation) continue;
    const replicas = spec.replicas ?? 1;
    const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas };
    const made = { status: { observedGeneration: metadata.generation, ...counts } };
    await api.patch(`${DEPLOYMENTS}/${metadata.name}/status`, 'merge', made);
  }
}

/** Runs lines as they stand, in a folder in which `deploy` is this repository's. @returns what they print */
async function shell(script: string): Promise<string> {
  const env = {
    PATH: [join(dir, 'bin'), process.env.PATH].join(delimiter),
    HOME: dir,
    KUBECONFIG: server.kubeconfig,
  };
  const text = PLACES.reduce((so, [place, value]) => so.replaceAll(place, value), script);
  try {
    return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', text], { cwd: dir, env })).stdout;
  } catch (error) {
    throw new Error(`${text}\n${(error as { stderr?: string }).stderr}`, { cause: error });
  }
}

const INSTALL = 'helm install orch deploy/helm/orch --namespace orch --create-namespace --set image.repository=orch';

describe('commands of the documents', { timeout: TEST_MS }, () => {
  beforeEach(() => shell('kubectl delete namespace orch --ignore-not-found'));

  test.each([...runs].filter(([name]) => name !== AUTHORITIES))('%s', async (_, commands) => {
    const script = commands.join('\n');
    if (!/helm install|orch\.yaml/.test(script)) await shell(INSTALL);
    await shell(script);
    if (script.includes('helm '))
      expect(await shell('helm status orch --namespace orch')).toContain('STATUS: deployed');
  });

  test('the authority of an installation whose certificates Helm makes is changed in three steps', async () => {
    await shell(INSTALL);
    await withoutLineBreak('orch-pki', 'ca.crt');
    const [making = 'false', first = 'false', second = 'false', third = 'false', purge = 'false', ...more] =
      runs.get(AUTHORITIES) ?? [];
    expect(more).toEqual([]);
    const printed = await shell([making, first, second, third].join('\n'));
    expect(new Set(printed.match(/^\d+ \d+$/gm)).size, 'sums of what is believed, one for each step').toBe(3);
    const before = new X509Certificate(readFileSync(join(dir, 'before.crt')));
    const next = new X509Certificate(readFileSync(join(dir, 'next.crt')));
    const steps = [
      { believed: [before], by: before },
      { believed: [before, next], by: before },
      { believed: [next, before], by: next },
      { believed: [next], by: next },
    ];
    for (const [index, { believed, by }] of steps.entries()) {
      const objects = parseManifests(await shell(`helm get manifest orch --namespace orch --revision ${index + 1}`));
      for (const name of ['orch-servers', 'orch-load-balancer']) {
        expect(certificatesIn(objects, name, 'ca.crt').map(serial), `${name}, step ${index}`).toEqual(
          believed.map(serial),
        );
        const [shown] = certificatesIn(objects, name, 'tls.crt');
        expect(shown?.verify(by.publicKey), `${name}, step ${index}`).toBe(true);
      }
    }
    await shell(purge);
    await expect(shell('helm rollback orch 1 --namespace orch'), 'an authority of before').rejects.toThrow(
      /no 1 version|not found/,
    );
    expect(await shell('helm status orch --namespace orch')).toContain('STATUS: deployed');
  });

  test('no secret is on a command line, or in a file that others may read', () => {
    const texts = all.map(({ text }) => text).join('\n');
    expect(texts).not.toMatch(/--from-literal|PASSWORD '/);
    const written = readdirSync(dir).filter((name) => /\.key$|^(keys|patch|secrets)/.test(name));
    for (const name of written) expect(statSync(join(dir, name)).mode & 0o077, name).toBe(0);
    expect(written).not.toContain('next.key');
  });
});

/** Leaves the line break at the end of a certificate out, as whoever puts one into a Secret may. */
async function withoutLineBreak(secret: string, key: string): Promise<void> {
  const path = `/api/v1/namespaces/orch/secrets/${secret}`;
  const { data } = (await api.get(path)).json<Manifest>();
  const text = Buffer.from(data[key], 'base64').toString().trimEnd();
  await api.patch(path, 'merge', { data: { [key]: Buffer.from(text).toString('base64') } });
}

describe('other examples of the documents', () => {
  test('are each of a kind that a test looks at', () => {
    const others = all.filter((example) => !isShell(example) && !isElsewhere(example));
    for (const { text, page } of others) expect(kindOf(text), `${page}: ${text}`).toBeDefined();
  });

  const ofKind = (kind: string) =>
    all.filter(({ text }) => kindOf(text) === kind).map(({ page, text }) => [page, text] as const);

  test.each(ofKind('values'))('the chart takes the values of %s', (_, text) => {
    const file = join(dir, 'values.yaml');
    writeFileSync(file, text);
    expect(helmOk(['template', 'orch', CHART, '--kube-version=1.27', `--values=${file}`])).toContain('oidc');
  });

  test.each(ofKind('arguments of helm'))('helm takes the arguments of %s', async (_, text) => {
    expect(await shell(`helm template orch deploy/helm/orch --kube-version=1.27 ${text}`)).toContain(
      'kind: Deployment',
    );
  });

  test.each(ofKind('options'))('an api-server takes the options of %s', (_, text) => {
    const args = [EXECUTABLE, 'api-server', ...text.split(/\s+/), '--postgres-url=x', '--none-such'];
    const { stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: {} });
    expect(stderr).toBe('Error: unknown flag: --none-such\n');
  });

  test.each(ofKind('objects'))('objects of cert-manager in %s are those that the chart makes', (_, text) => {
    const args = ['template', 'orch', CHART, '--namespace=orch', '--kube-version=1.27', '--set=pki.mode=certManager'];
    const made = parseManifests(helmOk(args));
    for (const document of parseAllDocuments(text)) {
      const { kind, metadata, spec } = document.toJS() as Manifest;
      const { usages, privateKey, issuerRef, ipAddresses } =
        made.find((each) => each.kind === kind && each.metadata.name === metadata.name)?.spec ?? {};
      expect(spec).toMatchObject({ usages, privateKey, issuerRef, ...(ipAddresses && { ipAddresses }) });
    }
  });
});

/** Returns the kind of an example that is not a command. */
function kindOf(text: string): string | undefined {
  if (text.startsWith('--set')) return 'arguments of helm';
  if (text.startsWith('--')) return 'options';
  if (text.startsWith('options:')) return 'values';
  return text.startsWith('apiVersion:') ? 'objects' : undefined;
}

const serial = ({ serialNumber }: X509Certificate): string => serialNumber;

function certificatesIn(objects: readonly Manifest[], name: string, key: string): X509Certificate[] {
  const secret = objects.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name);
  const text = Buffer.from(secret?.data[key] ?? '', 'base64').toString();
  expect(text, 'each certificate begins a line').not.toContain('----------');
  return (text.match(/-----BEGIN[\s\S]*?-----END CERTIFICATE-----/g) ?? []).map((pem) => new X509Certificate(pem));
}

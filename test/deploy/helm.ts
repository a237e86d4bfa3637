import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { which } from '../../tools/up/index.js';
import { findGo } from '../clients/go-tools.js';
import { installed } from '../clients/installed.js';

export const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));
export const CHART = join(DEPLOY, 'helm', 'orch');

/** A command of a Go module. */
interface GoCommand {
  readonly path: string;
  readonly version: string;
}

const HELM_3: GoCommand = { path: 'helm.sh/helm/v3/cmd/helm', version: 'v3.18.6' };
const HELM_4: GoCommand = { path: 'helm.sh/helm/v4/cmd/helm', version: 'v4.3.1' };
/** Fetching and compiling take minutes at first; the result is kept. */
const BUILD_MS = 1_200_000;

/** The part of a rendered object that tests read. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly uid?: string; readonly resourceVersion?: string };
  // biome-ignore lint/suspicious/noExplicitAny: objects of every kind come here; what is wrong fails the assertion
  readonly [field: string]: any;
}

let found: string | undefined;

/** Path of helm: the one on the path, else one of a fixed version, compiled with the Go tools into the user's cache. */
export function helm(): string {
  found ??= which('helm') ?? built(HELM_3);
  return found;
}

/** Path of a helm of the next major version, which applies on the server; compiled likewise. */
export const helm4 = (): string => built(HELM_4);

function built({ path, version }: GoCommand): string {
  const folder = installed(`helm-${version}`, (making) => {
    execFileSync(findGo(), ['install', '-trimpath', '-ldflags=-s -w', `${path}@${version}`], {
      env: { ...process.env, GOBIN: making, GOFLAGS: '' },
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: BUILD_MS,
    });
  });
  return join(folder, 'helm');
}

/** Runs helm to its end. */
export function runHelm(
  args: readonly string[],
  kubeconfig?: string,
  program = helm(),
): { code: number; stdout: string; stderr: string } {
  const env = { ...process.env, ...(kubeconfig !== undefined && { KUBECONFIG: kubeconfig }) };
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env, maxBuffer: 64 << 20 });
  return { code: status ?? 1, stdout, stderr };
}

/** Standard output of a run of helm that must succeed. */
export function helmOk(args: readonly string[], kubeconfig?: string, program = helm()): string {
  const { code, stdout, stderr } = runHelm(args, kubeconfig, program);
  if (code !== 0) throw new Error(`helm ${args.join(' ')}: exit ${code}\n${stderr}`);
  return stdout;
}

/** Renders the chart with the values in a file and further arguments. */
export function render(values: string, ...more: readonly string[]): { text: string; objects: Manifest[] } {
  const file = join(CHART, `${values}.yaml`);
  const text = helmOk([
    'template',
    'orch',
    CHART,
    '--namespace=orch',
    '--kube-version=1.27',
    `--values=${file}`,
    ...more,
  ]);
  return { text, objects: parseManifests(text) };
}

/** The objects of a stream of YAML documents; a key given twice is an error. */
export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text, { merge: true }).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    const object: unknown = document.toJS();
    return object ? [object as Manifest] : [];
  });
}

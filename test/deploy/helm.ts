import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { which } from '../../tools/up/index.js';
import { findGo } from '../clients/go-tools.js';

export const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));
export const CHART = join(DEPLOY, 'helm', 'orch');

const MODULE = 'helm.sh/helm/v3/cmd/helm';
const VERSION = 'v3.18.6';
/** Fetching and compiling take two minutes at first; the result is kept. */
const BUILD_MS = 600_000;

/** As much of a rendered object as tests look at. */
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
  found ??= which('helm') ?? built();
  return found;
}

function built(): string {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'orch-test', `helm-${VERSION}`);
  const program = join(cache, 'helm');
  if (existsSync(program)) return program;
  const making = join(cache, `making-${process.pid}`);
  mkdirSync(making, { recursive: true });
  execFileSync(findGo(), ['install', '-trimpath', '-ldflags=-s -w', `${MODULE}@${VERSION}`], {
    env: { ...process.env, GOBIN: making, GOFLAGS: '' },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: BUILD_MS,
  });
  renameSync(join(making, 'helm'), program);
  return program;
}

/** Runs helm to its end. */
export function runHelm(
  args: readonly string[],
  kubeconfig?: string,
): { code: number; stdout: string; stderr: string } {
  const env = { ...process.env, ...(kubeconfig !== undefined && { KUBECONFIG: kubeconfig }) };
  const { status, stdout, stderr } = spawnSync(helm(), args, { encoding: 'utf8', env, maxBuffer: 64 << 20 });
  return { code: status ?? 1, stdout, stderr };
}

/** Standard output of a run of helm that must succeed. */
export function helmOk(args: readonly string[], kubeconfig?: string): string {
  const { code, stdout, stderr } = runHelm(args, kubeconfig);
  if (code !== 0) throw new Error(`helm ${args.join(' ')}: exit ${code}\n${stderr}`);
  return stdout;
}

/** What the chart becomes with the values of a file of its own and further arguments. */
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

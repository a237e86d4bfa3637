import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { which } from '../../tools/up/index.js';
import { goBuild } from '../clients/go-build.js';
import { installed } from '../clients/installed.js';

export const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));
export const CHART = join(DEPLOY, 'helm', 'orch');

/** Where the versions of helm are named, with those of what they are made of. */
const MODULE = fileURLToPath(new URL('../clients/helm/', import.meta.url));

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
  found ??= which('helm') ?? built('helm.sh/helm/v3');
  return found;
}

/** Path of a helm of the next major version, which applies on the server; compiled likewise. */
export const helm4 = (): string => built('helm.sh/helm/v4');

function built(module: string): string {
  const [, version] = new RegExp(`${module} (\\S+)`).exec(readFileSync(join(MODULE, 'go.mod'), 'utf8')) ?? [];
  const folder = installed(`helm-${version}`, (making) => {
    goBuild({ folder: MODULE, path: `${module}/cmd/helm`, program: join(making, 'helm'), workspace: 'current' });
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

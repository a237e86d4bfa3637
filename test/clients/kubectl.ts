import { execFile, spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { buildKubectl } from './kubectl-build/build-kubectl.js';

/** The result of a run of kubectl. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A kubectl retries for minutes when it gets no answer; no test waits for that. */
const RUN_LIMIT_MS = 60_000;

/** It lives too shortly for its collector to be worth its time, a quarter of the whole. */
const GOGC = '400';

/** Runs one kubectl with one kubeconfig. */
export class Kubectl {
  constructor(
    private readonly file: string,
    private readonly kubeconfig: string,
  ) {}

  /** Runs to the end, whatever the exit code. */
  run(args: readonly string[], { input, env = {} }: RunOptions = {}): Promise<Ran> {
    return new Promise((resolve) => {
      const options = { env: this.#env(env), timeout: RUN_LIMIT_MS, maxBuffer: 64 << 20 };
      const child = execFile(this.file, [...args], options, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, stdout, stderr });
      });
      child.stdin?.end(input ?? '');
    });
  }

  /** Standard output of a run that must succeed. */
  async ok(args: readonly string[], options?: RunOptions): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: exit ${code}\n${stderr}`);
    return stdout;
  }

  /** Standard error of a run that must fail. */
  async refused(args: readonly string[], options?: RunOptions): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options);
    if (code === 0) throw new Error(`kubectl ${args.join(' ')} was expected to fail\n${stdout}`);
    return stderr;
  }

  /** Runs in the background until `done` holds of what it has printed, then ends it. */
  until(args: readonly string[], done: (stdout: string) => boolean): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn(this.file, [...args], { env: this.#env({}), stdio: ['ignore', 'pipe', 'pipe'] });
      let stdout = '';
      const limit = setTimeout(
        () => finish(new Error(`kubectl ${args.join(' ')} printed only:\n${stdout}`)),
        RUN_LIMIT_MS,
      );
      const finish = (error?: Error): void => {
        clearTimeout(limit);
        child.kill();
        if (error) reject(error);
        else resolve(stdout);
      };
      child.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk;
        if (done(stdout)) finish();
      });
      // What it has printed last may come behind its end.
      child.stderr.resume();
      child.once('close', () => finish(done(stdout) ? undefined : new Error(`kubectl ended early:\n${stdout}`)));
    });
  }

  #env(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
    return { PATH: process.env.PATH, HOME: dirname(this.kubeconfig), KUBECONFIG: this.kubeconfig, GOGC, ...more };
  }
}

/** Tested releases, and the versions that are compiled if they are not installed. */
const RELEASES = { '1.27': '1.27.16', '1.33': '1.33.4' } as const;
/** A tested release, by its minor version. */
export type KubectlRelease = keyof typeof RELEASES;

/** Compiling one takes minutes, once. */
export const KUBECTL_BUILD_MS = 1_200_000;

/**
 * The file of a kubectl of a release: `kubectl.1.27` on the path or beside `gcloud`, which brings several, else one that
 * is compiled from published modules. Throws when it cannot be had.
 */
export function findKubectl(release: KubectlRelease): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const beside = folders.map((folder) => join(folder, 'gcloud')).filter((file) => existsSync(file));
  const candidates = [...folders, ...beside.map((file) => dirname(realpathSync(file)))];
  const found = candidates.map((folder) => join(folder, `kubectl.${release}`)).find((file) => existsSync(file));
  return found ?? buildKubectl(RELEASES[release]);
}

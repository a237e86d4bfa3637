import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { which } from '../../../tools/up/index.js';
import { makeOnce } from '../../support/data-template.js';
import { runFolder } from '../../support/run-folder.js';
import { goBuild } from '../go-build.js';

const MODULE = fileURLToPath(new URL('.', import.meta.url));

/** Path of the Go tools, undefined when they are not installed. */
export const go = which('go');

/**
 * Compiles the program, once in a run of tests, into `dir` where there is none. Fetches what it is made of through the module proxy at first.
 * @returns its path
 */
export async function buildInformer(dir: string): Promise<string> {
  if (runFolder() === undefined) return compiledIn(dir);
  return join(await makeOnce(PROGRAM, async (folder) => void compiledIn(folder)), PROGRAM);
}

const PROGRAM = 'go-informer';

function compiledIn(folder: string): string {
  const program = join(folder, PROGRAM);
  goBuild({ folder: MODULE, program, workspace: 'release' });
  return program;
}

/** Status as the program prints it; counters begin at its start. */
export interface InformerStatus {
  readonly synced: boolean;
  /** Version after which the next watch would begin. */
  readonly version: string;
  readonly count: number;
  /** See {@link hashOf} in status.go: SHA-256 over "namespace/name@version\n" of all objects. */
  readonly hash: string;
  readonly lists: number;
  readonly pages: number;
  readonly watches: number;
  readonly gone410: number;
  readonly refused: number;
  readonly events: number;
  readonly bookmarks: number;
  readonly errors: number;
}

export interface InformerProcessSettings {
  readonly program: string;
  readonly kubeconfig: string;
  readonly namespace: string;
  /** Media type of what it asks for. */
  readonly contentType: string;
  /** File that takes what client-go has to say. */
  readonly logFile: string;
}

/** A shared informer of client-go in a process of its own. */
export class InformerProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #answers: AsyncIterator<string>;
  readonly #exited: Promise<unknown>;

  constructor({ program, kubeconfig, namespace, contentType, logFile }: InformerProcessSettings) {
    const args = [`--kubeconfig=${kubeconfig}`, `--namespace=${namespace}`, `--content-type=${contentType}`];
    this.#child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stderr.pipe(createWriteStream(logFile));
    this.#exited = once(this.#child, 'exit');
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  status(): Promise<InformerStatus> {
    return this.#ask<InformerStatus>('status');
  }

  /** The version of every object held, by "namespace/name". */
  objects(): Promise<Readonly<Record<string, string>>> {
    return this.#ask<Record<string, string>>('objects');
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.stdin.end('stop\n');
    await this.#exited;
  }

  async #ask<T>(command: string): Promise<T> {
    this.#child.stdin.write(`${command}\n`);
    const { value, done } = await this.#answers.next();
    if (done) throw new Error('the Go informer has ended');
    return JSON.parse(value) as T;
  }
}

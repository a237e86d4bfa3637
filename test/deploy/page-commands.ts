import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));
const BIN = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));
const BLOCK = /^```sh\n(.*?)^```$/gms;

/** User and folder in which a block of commands runs. */
export interface ShellSettings {
  readonly env: Readonly<Record<string, string>>;
  /** Folder of programs that come first. */
  readonly programs?: string;
  readonly user?: { readonly uid: number; readonly gid: number };
}

/** The blocks of a page of `docs/` that a shell runs. A block is asked for by what it begins with, so that the page may be put in another order. */
export class PageCommands {
  readonly #left: Set<string>;
  readonly #blocks: readonly string[];

  /** @param elsewhere what blocks hold that others run */
  constructor(page: string, elsewhere: readonly string[] = []) {
    const text = readFileSync(`${DOCS}${page}`, 'utf8');
    this.#blocks = [...text.matchAll(BLOCK)].map(([, block = '']) => block);
    this.#left = new Set(this.#blocks);
    for (const holding of elsewhere) this.block(holding);
  }

  /** The blocks that nobody has asked for. */
  get left(): readonly string[] {
    return [...this.#left];
  }

  /** The one block that holds a text. @throws Error where there is none, or several */
  block(holding: string): string {
    const found = this.#blocks.filter((block) => block.includes(holding));
    const [only] = found;
    if (only === undefined || found.length > 1) throw new Error(`${found.length} blocks of the page hold ${holding}`);
    this.#left.delete(only);
    return only;
  }

  /** Runs such a block as it stands on the page. Resolves with what it printed. @throws Error when it fails, with what it said */
  run(holding: string, settings: ShellSettings): Promise<{ stdout: string; stderr: string }> {
    return execute(this.block(holding), settings);
  }
}

/** Runs lines of a shell; each must go well. */
export function execute(
  script: string,
  { env, user, programs }: ShellSettings,
): Promise<{ stdout: string; stderr: string }> {
  const path = [programs ?? [], BIN, dirname(process.execPath), process.env.PATH].flat().join(':');
  return promisify(execFile)('/bin/sh', ['-euc', script], { env: { ...env, PATH: path }, cwd: '/', ...user });
}

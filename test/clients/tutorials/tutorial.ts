import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PageCommands } from '../../deploy/page-commands.js';
import { findKubectl } from '../kubectl.js';

const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url));
const BIN = fileURLToPath(new URL('../../../node_modules/.bin', import.meta.url));
const OUTPUT = /^```text\n(.*?)^```$/gms;
const RUN_LIMIT_MS = 240_000;

/** How a tutorial is run. */
export interface TutorialSettings {
  /** An empty folder, which becomes the reader's home. */
  readonly dir: string;
  /** Variables of the reader's shell beside PATH and HOME. */
  readonly env: Readonly<Record<string, string>>;
  /** Beginnings of blocks that are left out: what they install is there already. */
  readonly installed?: readonly string[];
  /** Folders of programs that come first on the path. */
  readonly programs?: readonly string[];
}

/** Prepares the folder in which a tutorial runs: a home with a copy of `docs/tutorials` in it. */
export function prepareTutorial(dir: string): string {
  const folder = join(dir, 'tutorials');
  cpSync(join(DOCS, 'tutorials'), folder, { recursive: true });
  mkdirSync(join(dir, 'bin'));
  symlinkSync(findKubectl('1.33'), join(dir, 'bin', 'kubectl'));
  return folder;
}

/**
 * Runs the blocks of a page one after another in one shell, as a reader does who types them. Programs that it leaves in the background are ended.
 *
 * @returns what it printed
 * @throws Error when a command fails, with what all of them printed
 */
export function runTutorial(page: string, settings: TutorialSettings): Promise<string> {
  const { dir, env, installed = [], programs = [] } = settings;
  const script = ["trap 'kill $(jobs -p) 2>/dev/null || true' EXIT", ...new PageCommands(page, installed).left].join(
    '\n',
  );
  const path = [join(dir, 'bin'), ...programs, BIN, dirname(process.execPath), process.env.PATH].join(delimiter);
  const options = {
    cwd: join(dir, 'tutorials'),
    env: { ...env, HOME: dir, TMPDIR: dir, PATH: path },
    timeout: RUN_LIMIT_MS,
  };
  return new Promise((resolve, reject) => {
    execFile('bash', ['-euo', 'pipefail', '-c', script], options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${page}: ${error.message}\n${stdout}\n${stderr}`));
      else resolve(stdout);
    });
  });
}

/** Patterns of the blocks of a page that show what its commands print; `…` stands for any word. */
export function outputsOf(page: string): RegExp[] {
  const blocks = readFileSync(join(DOCS, page), 'utf8').matchAll(OUTPUT);
  return [...blocks].map(([, block = '']) => new RegExp(escaped(block).replaceAll('…', '\\S+')));
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

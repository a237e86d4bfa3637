import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { EnvironmentVariables } from '@orch/runtime';
import { parse, YAMLParseError } from 'yaml';
import { isRecord, type UnknownRecord } from '../record.js';
import { EntryReader, KubeconfigError } from './entry-reader.js';

/** The entries of one or more kubeconfigs, by name; each knows its file. */
export interface Kubeconfig {
  readonly currentContext?: string;
  readonly clusters: ReadonlyMap<string, EntryReader>;
  readonly users: ReadonlyMap<string, EntryReader>;
  readonly contexts: ReadonlyMap<string, EntryReader>;
}

const NOTHING: Kubeconfig = { clusters: new Map(), users: new Map(), contexts: new Map() };

/** The files that clients read by default: those of `KUBECONFIG`, or `~/.kube/config`. */
export function kubeconfigFiles(env: EnvironmentVariables): readonly string[] {
  const named = env.KUBECONFIG;
  if (!named) return [join(env.HOME || homedir(), '.kube', 'config')];
  return [...new Set(named.split(delimiter).filter(Boolean))];
}

/** Parses a file. An empty one has no entries. Throws {@link KubeconfigError}, also when it does not exist. */
export async function parseKubeconfig(file: string): Promise<Kubeconfig> {
  try {
    return entriesOf(file, await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof KubeconfigError) throw error;
    throw new KubeconfigError(`${file}: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Merges several files, as kubectl does: of entries of one name, and of current contexts, the first is taken, whole;
 * missing files are skipped. Throws {@link KubeconfigError}.
 */
export async function parseKubeconfigs(files: readonly string[]): Promise<Kubeconfig> {
  const parsed = await Promise.all(files.map((file) => parseKubeconfig(file).catch(absent)));
  const currentContext = parsed.find((config) => config.currentContext)?.currentContext;
  const first = (list: 'clusters' | 'users' | 'contexts') =>
    new Map(parsed.flatMap((config) => [...config[list]]).reverse());
  return {
    ...(currentContext && { currentContext }),
    clusters: first('clusters'),
    users: first('users'),
    contexts: first('contexts'),
  };
}

function absent(error: unknown): Kubeconfig {
  const { cause } = error as { cause?: NodeJS.ErrnoException };
  if (cause?.code === 'ENOENT') return NOTHING;
  throw error;
}

function entriesOf(file: string, text: string): Kubeconfig {
  if (text.trim() === '') return NOTHING;
  const reader = new EntryReader(file, '', parsed(file, text));
  const [apiVersion = 'v1', kind = 'Config'] = [reader.text('apiVersion'), reader.text('kind')];
  if (apiVersion !== 'v1' || kind !== 'Config') {
    throw new KubeconfigError(`${file}: not a kubeconfig, but ${apiVersion} ${kind}`);
  }
  const currentContext = reader.text('current-context');
  return {
    ...(currentContext && { currentContext }),
    clusters: named(reader, 'clusters', 'cluster'),
    users: named(reader, 'users', 'user'),
    contexts: named(reader, 'contexts', 'context'),
  };
}

/** The errors of the parser quote the file, which holds secrets: only the line is reported. */
function parsed(file: string, text: string): UnknownRecord {
  let config: unknown;
  try {
    config = parse(text, { logLevel: 'error' });
  } catch (error) {
    const line = error instanceof YAMLParseError ? error.linePos?.[0].line : undefined;
    throw new KubeconfigError(`${file}: not YAML${line === undefined ? '' : ` (line ${line})`}`);
  }
  if (!isRecord(config)) throw new KubeconfigError(`${file}: not a kubeconfig`);
  return config;
}

/** Returns the `content` of each entry of a list such as `clusters`. */
function named(config: EntryReader, list: string, content: string): ReadonlyMap<string, EntryReader> {
  const found = new Map<string, EntryReader>();
  for (const entry of config.list(list)) {
    const name = entry.text('name') ?? '';
    if (found.has(name))
      throw new KubeconfigError(`${config.file}: ${list} has two entries named ${JSON.stringify(name)}`);
    const value = entry.raw(content) ?? {};
    const what = `${content} ${JSON.stringify(name)}`;
    if (!isRecord(value)) throw new KubeconfigError(`${config.file}: ${what} is not an object`);
    found.set(name, new EntryReader(config.file, what, value));
  }
  return found;
}

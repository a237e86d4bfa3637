import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@orch/runtime/clock';
import { RuntimeError } from '../runtime-error.js';
import type { DnsConfig, ListedSandbox, SandboxConfig, SandboxState, SandboxStatus } from '../sandboxes.js';
import { readJson, writeJson } from './state/json-file.js';
import { SANDBOX_RECORD, type SandboxRecord } from './state/records.js';

const RESOLVER = 'resolv.conf';

/** The folders of sandboxes, which are nothing but what their containers share. */
export class SandboxFolders {
  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o711 });
    // A process ended while it made a sandbox, or removed one.
    for (const id of readdirSync(folder))
      if (!existsSync(join(folder, id, SANDBOX_RECORD))) rmSync(join(folder, id), { recursive: true, force: true });
  }

  /** Makes a sandbox; returns its id. */
  make(config: SandboxConfig): string {
    const id = randomBytes(16).toString('hex');
    const folder = join(this.folder, id);
    try {
      mkdirSync(folder, { mode: 0o711 });
      if (config.dns) writeFileSync(join(folder, RESOLVER), resolverOf(config.dns), { mode: 0o644 });
      this.#write({ id, config, createdAt: systemClock.wall(), state: 'ready' });
    } catch (error) {
      // Without its record nobody would ever find it.
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
    return id;
  }

  /** Returns a sandbox. @throws RuntimeError `NotFound` */
  get(id: string): SandboxRecord {
    const found = this.find(id);
    if (!found) throw new RuntimeError('NotFound', `sandbox "${id}" not found`);
    return found;
  }

  /** Returns a sandbox; undefined if there is none. */
  find(id: string): SandboxRecord | undefined {
    return /^[0-9a-f]{32}$/.test(id) ? readJson<SandboxRecord>(join(this.folder, id, SANDBOX_RECORD)) : undefined;
  }

  /** Returns all sandboxes. */
  list(): SandboxRecord[] {
    return readdirSync(this.folder).flatMap((id) => this.find(id) ?? []);
  }

  /** Changes the state of a sandbox. */
  set(record: SandboxRecord, state: SandboxState): void {
    this.#write({ ...record, state });
  }

  /** Returns the file that its containers have as resolv.conf. */
  resolverOf({ id, config }: SandboxRecord): string {
    return config.dns ? join(this.folder, id, RESOLVER) : '/etc/resolv.conf';
  }

  /** Removes a sandbox. */
  async remove(id: string): Promise<void> {
    await rm(join(this.folder, id), { recursive: true, force: true });
  }

  #write(record: SandboxRecord): void {
    writeJson(join(this.folder, record.id, SANDBOX_RECORD), record);
  }
}

function resolverOf({ servers, searches, options }: DnsConfig): string {
  const lines = [
    ...servers.map((server) => `nameserver ${server}`),
    ...(searches.length > 0 ? [`search ${searches.join(' ')}`] : []),
    ...(options.length > 0 ? [`options ${options.join(' ')}`] : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Returns a sandbox as lists have it. */
export function listedSandboxOf({ id, config, createdAt, state }: SandboxRecord): ListedSandbox {
  const { metadata, labels, annotations, runtimeHandler = '' } = config;
  return { id, metadata, state, createdAt, labels, annotations, runtimeHandler };
}

/** Returns a sandbox with its network, which is the node's. */
export const sandboxStatusOf = (record: SandboxRecord): SandboxStatus => ({
  ...listedSandboxOf(record),
  ips: [],
  namespaces: record.config.security.namespaces,
});

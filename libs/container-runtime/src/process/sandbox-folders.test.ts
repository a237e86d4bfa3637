import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SandboxConfig } from '../sandboxes.js';
import { SandboxFolders } from './sandbox-folders.js';

const CONFIG: SandboxConfig = {
  metadata: { name: 'p', uid: 'u', namespace: 'default', attempt: 0 },
  ...{ hostname: 'p', logDirectory: '/logs', labels: {}, annotations: {} },
  dns: { servers: ['10.0.0.10'], searches: ['a', 'b'], options: ['ndots:5'] },
  security: { namespaces: { network: 'pod', pid: 'container', ipc: 'pod' } },
};

describe('SandboxFolders', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sandboxes-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('have the resolver configuration of the sandbox', () => {
    const sandboxes = new SandboxFolders(folder);
    const record = sandboxes.get(sandboxes.make(CONFIG));
    const text = readFileSync(sandboxes.resolverOf(record), 'utf8');
    expect(text).toBe('nameserver 10.0.0.10\nsearch a b\noptions ndots:5\n');
  });

  it('leave nothing of a sandbox that could not be written', () => {
    const sandboxes = new SandboxFolders(folder);
    // It fails after the folder was made, as on a full disk.
    const unwritable = { ...CONFIG, labels: { a: 1n } } as unknown as SandboxConfig;
    expect(() => sandboxes.make(unwritable)).toThrow('BigInt');
    expect(readdirSync(folder)).toEqual([]);
  });
});

import { closeSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openControlPath } from './control-path.js';

let dir: string;
let server: Server | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'control-path-'));
});

afterEach(() => {
  server?.close();
  rmSync(dir, { recursive: true, force: true });
});

it('is short enough for a socket below a folder with any path', async () => {
  const folder = join(dir, 'a'.repeat(120), 'b'.repeat(120));
  mkdirSync(folder, { recursive: true });
  const served = openControlPath(folder);
  const listening = createServer((socket) => socket.end('here'));
  server = listening;
  await new Promise<void>((resolve) => void listening.listen(served.path, resolve));
  const { path, descriptor } = openControlPath(folder);
  const answer = await new Promise<string>((resolve, reject) => {
    connect(path)
      .once('error', reject)
      .once('data', (bytes) => resolve(String(bytes)));
  });
  closeSync(descriptor);
  expect(answer).toBe('here');
});

it('fails for a folder that is gone', () => {
  expect(() => openControlPath(join(dir, 'gone'))).toThrow(/ENOENT/);
});

import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSignedPair } from '@orch/authentication';
import { writeKubeconfig } from '@orch/client';
import { namesOf } from '@orch/machinery';
import { silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { nodeConnection } from './node-connection.js';

const SERVER = 'https://127.0.0.1:1';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'connection-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const connect = (more: { bootstrap?: boolean; rotate?: boolean; signal?: AbortSignal } = {}) =>
  nodeConnection({
    options: {
      ...{ kubeconfig: join(dir, 'kubeconfig'), certDir: join(dir, 'pki'), rotateCertificates: more.rotate },
      ...(more.bootstrap && { bootstrapKubeconfig: join(dir, 'bootstrap') }),
    },
    ...{ node: 'n1', names: namesOf('orch'), clock: new ManualClock(Date.now()), logger: silentLogger },
    ...(more.signal && { signal: more.signal }),
  });

test('without a bootstrap connection, a missing kubeconfig is an error', async () => {
  await expect(connect()).rejects.toThrow('kubeconfig');
});

test('a bootstrap connection that cannot be used is an error, unless the agent has joined', async () => {
  await writeFile(join(dir, 'bootstrap'), 'no: kubeconfig: at all');
  await expect(connect({ bootstrap: true })).rejects.toThrow('bootstrap');
  await writeKubeconfig(join(dir, 'kubeconfig'), { server: SERVER, token: 't' });
  const joined = await connect({ bootstrap: true });
  expect(joined?.connection).toMatchObject({ server: SERVER, token: 't' });
  await joined?.stop();
});

test('who stops waiting for a certificate has no connection, and no connection file', async () => {
  await writeKubeconfig(join(dir, 'bootstrap'), { server: SERVER, token: 't' });
  await writeFile(join(dir, 'kubeconfig'), 'broken: by: somebody');
  const abort = new AbortController();
  const joined = connect({ bootstrap: true, signal: abort.signal });
  await expect.poll(() => stat(join(dir, 'pki', 'node-agent-client.key')).then(({ mode }) => mode & 0o777)).toBe(0o600);
  abort.abort();
  expect(await joined).toBeUndefined();
  expect(await readFile(join(dir, 'kubeconfig'), 'utf8')).toBe('broken: by: somebody');
});

test('a certificate within the kubeconfig is kept as the first of those that are renewed', async () => {
  const pair = await selfSignedPair('127.0.0.1', Date.now());
  await writeKubeconfig(join(dir, 'kubeconfig'), { server: SERVER, ...pair });
  const joined = await connect({ rotate: true });
  const file = join(dir, 'pki', 'node-agent-client-current.pem');
  expect(joined?.connection).toEqual({ server: SERVER, certFile: file, keyFile: file });
  expect(await readFile(file, 'utf8')).toBe(pair.cert + pair.key);
  await joined?.stop();
});

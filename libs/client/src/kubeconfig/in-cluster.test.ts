import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namesOf } from '@orch/machinery';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inClusterConnection } from './in-cluster.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'in-cluster-'));
});
afterEach(() => rm(dir, { recursive: true }));

const ORCH = { ORCH_SERVICE_HOST: '10.0.0.1', ORCH_SERVICE_PORT: '443' };

test('of variables and the files of the service account', async () => {
  expect(await inClusterConnection({ env: ORCH, dir })).toBeUndefined();
  await writeFile(join(dir, 'token'), 't');
  expect(await inClusterConnection({ env: {}, dir })).toBeUndefined();
  expect(await inClusterConnection({ env: { ORCH_SERVICE_HOST: 'x' }, dir })).toBeUndefined();
  const tokenFile = join(dir, 'token');
  expect(await inClusterConnection({ env: ORCH, dir })).toEqual({ server: 'https://10.0.0.1:443', tokenFile });
  await writeFile(join(dir, 'ca.crt'), 'the ca');
  await writeFile(join(dir, 'namespace'), 'dev\n');
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' };
  expect(await inClusterConnection({ env, dir })).toBeUndefined();
  expect(await inClusterConnection({ env, dir, names: namesOf('kubernetes') })).toEqual({
    server: 'https://[fd00::1]:6443',
    tokenFile,
    ca: 'the ca',
    namespace: 'dev',
  });
});

import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListedContainer } from '@orch/container-runtime';
import { silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LogLinks } from './log-links.js';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'log-links-'));
});
afterEach(() => rm(dir, { recursive: true }));

const container = (id: string, attempt: number, labels: Record<string, string>): ListedContainer => ({
  ...{ id, sandboxId: 's', metadata: { name: 'c', attempt }, image: '', imageRef: '', createdAt: 0 },
  ...{ state: 'running', labels, annotations: {} },
});
const LABELS = {
  ...{ 'io.kubernetes.pod.name': 'p', 'io.kubernetes.pod.namespace': 'n', 'io.kubernetes.pod.uid': 'u' },
  'io.kubernetes.container.name': 'c',
};

it('--container-log-links: the folder has a link to each log, as long as there is the log', async () => {
  const [folder, podLogs] = [join(dir, 'containers'), join(dir, 'pods')];
  const containers = [container('1', 0, LABELS), container('2', 1, LABELS), container('3', 0, {})];
  const clock = new ManualClock();
  const runtime = { listContainers: async () => containers };
  const links = new LogLinks({ folder, podLogs, runtime, clock, logger: silentLogger });
  const log = join(podLogs, 'n_p_u/c');
  await mkdir(log, { recursive: true });
  await writeFile(join(log, '0.log'), 'of the first run');
  await links.update();
  expect(await readdir(folder)).toEqual(['p_n_c-1.log']);
  expect(await readFile(join(folder, 'p_n_c-1.log'), 'utf8')).toBe('of the first run');
  await writeFile(join(log, '1.log'), '');
  await writeFile(join(folder, 'own'), '');
  await symlink(join(dir, 'nowhere'), join(folder, 'of-others'));
  await links.update();
  expect(await readdir(folder)).toEqual(['of-others', 'own', 'p_n_c-1.log', 'p_n_c-2.log']);
  await rm(log, { recursive: true });
  await links.update();
  expect(await readdir(folder)).toEqual(['of-others', 'own']);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isNotFound } from '../runtime-error.js';
import { COMMANDS, type Rig } from './rig.js';

/** Describes the life of containers. */
export function describeContainers(rig: Rig): void {
  describe('a container', () => {
    it('is created, runs, and ends with its exit code', async () => {
      const sandbox = await rig.sandbox();
      const id = await sandbox.create(COMMANDS.prints);
      const created = await rig.runtime.containerStatus(id);
      expect(created).toMatchObject({ id, state: 'created', metadata: { name: 'c', attempt: 0 } });
      expect([created.startedAt, created.finishedAt]).toEqual([undefined, undefined]);
      await rig.runtime.startContainer(id);
      const ended = await sandbox.ended(id);
      expect(ended).toMatchObject({ exitCode: 3, reason: 'Error', annotations: { hash: 'abc' } });
      expect(ended.createdAt).toBeLessThanOrEqual(ended.startedAt ?? 0);
      // containerd notes that a program has begun when it hears of it, and a short one has ended by then.
      expect(ended.startedAt ?? 0).toBeLessThan((ended.finishedAt ?? 0) + 1_000);
      expect(ended.createdAt).toBeLessThan(ended.finishedAt ?? 0);
      expect(ended.logPath).toBe(join(sandbox.config.logDirectory, 'c/0.log'));
    });

    it('that succeeds is completed', async () => {
      const sandbox = await rig.sandbox();
      const ended = await sandbox.ended(await sandbox.start(COMMANDS.succeeds));
      expect(ended).toMatchObject({ exitCode: 0, reason: 'Completed' });
    });

    it('is found by id, state, sandbox and labels', async () => {
      const [sandbox, other] = [await rig.sandbox(), await rig.sandbox()];
      const id = await sandbox.start(COMMANDS.runs);
      const elsewhere = await other.create(COMMANDS.runs);
      const ids = async (...filter: Parameters<typeof rig.runtime.listContainers>) =>
        (await rig.runtime.listContainers(...filter)).map((container) => container.id);
      expect(await ids({ sandboxId: sandbox.id })).toEqual([id]);
      expect(await ids({ labels: { 'io.kubernetes.pod.uid': other.config.metadata.uid } })).toEqual([elsewhere]);
      expect(await ids({ sandboxId: other.id, state: 'running' })).toEqual([]);
      expect(await ids({ sandboxId: other.id, state: 'created' })).toEqual([elsewhere]);
      expect(await ids({ id })).toEqual([id]);
      expect(await ids()).toEqual(expect.arrayContaining([id, elsewhere]));
      const [listed] = await rig.runtime.listContainers({ id });
      expect(listed).toMatchObject({
        id,
        sandboxId: sandbox.id,
        state: 'running',
        imageRef: expect.stringMatching(/./),
      });
    });

    it('that is started once cannot be started again', async () => {
      const sandbox = await rig.sandbox();
      const id = await sandbox.start(COMMANDS.runs);
      await expect(rig.runtime.startContainer(id)).rejects.toMatchObject({ name: 'RuntimeError' });
    });

    it('whose program does not exist has failed to start', async () => {
      const sandbox = await rig.sandbox();
      const id = await sandbox.create(COMMANDS.missing);
      await expect(rig.runtime.startContainer(id)).rejects.toMatchObject({
        name: 'RuntimeError',
        message: expect.stringMatching(/no such/i),
      });
      expect(await sandbox.ended(id)).toMatchObject({ exitCode: 128, reason: 'StartError' });
    });

    it('whose image does not exist cannot be created', async () => {
      const sandbox = await rig.sandbox();
      const image = `sha256:${'0'.repeat(64)}`;
      await expect(sandbox.create(COMMANDS.runs, { image })).rejects.toMatchObject({ name: 'RuntimeError' });
    });

    it('ends by SIGTERM, within its grace period', async () => {
      const sandbox = await rig.sandbox();
      const id = await sandbox.start(COMMANDS.runs);
      await rig.runtime.stopContainer(id, 60);
      expect(await rig.runtime.containerStatus(id)).toMatchObject({ state: 'exited', exitCode: 7, reason: 'Error' });
      await rig.runtime.stopContainer(id, 60);
    });

    it('is killed after its grace period, and at once without one', async () => {
      const sandbox = await rig.sandbox();
      const id = await sandbox.start(COMMANDS.ignores);
      await rig.runtime.stopContainer(id, 1);
      expect(await rig.runtime.containerStatus(id)).toMatchObject({ state: 'exited', exitCode: 137 });
      const other = await sandbox.start(COMMANDS.runs, { metadata: { name: 'd', attempt: 0 }, logPath: 'd/0.log' });
      await rig.runtime.stopContainer(other, 0);
      expect(await rig.runtime.containerStatus(other)).toMatchObject({ state: 'exited', exitCode: 137 });
    });

    it('is removed though it runs, and its log stays', async () => {
      const sandbox = await rig.sandbox();
      const id = await sandbox.start(COMMANDS.ignores);
      const log = join(sandbox.config.logDirectory, 'c/0.log');
      await expect.poll(() => readFileSync(log, 'utf8')).toContain('stdout F ready');
      await rig.runtime.removeContainer(id);
      await expect(rig.runtime.containerStatus(id)).rejects.toSatisfy(isNotFound);
      expect(await rig.runtime.listContainers({ id })).toEqual([]);
      expect(readFileSync(log, 'utf8')).toContain('ready');
    });

    it('that does not exist can be stopped and removed, and nothing else', async () => {
      await rig.runtime.stopContainer('none', 1);
      await rig.runtime.removeContainer('none');
      await expect(rig.runtime.containerStatus('none')).rejects.toSatisfy(isNotFound);
      await expect(rig.runtime.startContainer('none')).rejects.toSatisfy(isNotFound);
      await expect(rig.runtime.execSync({ containerId: 'none', command: ['true'], timeout: 0 })).rejects.toSatisfy(
        isNotFound,
      );
    });

    it('is found again over another connection', async () => {
      const sandbox = await rig.sandbox();
      const id = await sandbox.start(COMMANDS.runs);
      const again = await rig.under.reconnect();
      expect((await again.listContainers({ sandboxId: sandbox.id })).map((container) => container.id)).toEqual([id]);
      await again.stopContainer(id, 60);
      expect(await rig.runtime.containerStatus(id)).toMatchObject({ state: 'exited', exitCode: 7 });
      if (again !== rig.runtime) await again.close();
    });
  });
}

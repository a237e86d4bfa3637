import { describe, expect, it } from 'vitest';
import { isNotFound } from '../runtime-error.js';
import { COMMANDS, type Rig } from './rig.js';

/** Describes sandboxes. */
export function describeSandboxes(rig: Rig): void {
  describe('a sandbox', () => {
    it('is ready once it runs, and has what it was made with', async () => {
      const { id, config } = await rig.sandbox();
      const status = await rig.runtime.sandboxStatus(id);
      const { metadata, labels, annotations } = config;
      expect(status).toMatchObject({ id, metadata, labels, annotations, state: 'ready' });
      expect(Math.abs(status.createdAt - Date.now())).toBeLessThan(120_000);
      expect(status.namespaces).toMatchObject(config.security.namespaces);
    });

    it('has an address if it has a network of its own', async () => {
      const { ips } = await rig.runtime.sandboxStatus((await rig.sandbox()).id);
      if (rig.traits.hasNetwork) expect(ips[0]).toMatch(/^\d+(\.\d+){3}$/);
      else expect(ips).toEqual([]);
    });

    it('is found by id, state and labels', async () => {
      const { id, config } = await rig.sandbox();
      const { id: other } = await rig.sandbox();
      await rig.runtime.stopSandbox(other);
      const ids = async (...filter: Parameters<typeof rig.runtime.listSandboxes>) =>
        (await rig.runtime.listSandboxes(...filter)).map((sandbox) => sandbox.id);
      expect(await ids({ labels: config.labels })).toEqual([id]);
      expect(await ids({ labels: { ...config.labels, other: 'x' } })).toEqual([]);
      expect(await ids({ id: other })).toEqual([other]);
      expect(await ids()).toEqual(expect.arrayContaining([id, other]));
      expect(await ids({ state: 'ready' })).not.toContain(other);
      expect(await ids({ state: 'notready' })).toContain(other);
    });

    it('that is stopped takes its containers along, is not ready, and can be stopped again', async () => {
      const sandbox = await rig.sandbox();
      const container = await sandbox.start(COMMANDS.ignores);
      await rig.runtime.stopSandbox(sandbox.id);
      await rig.runtime.stopSandbox(sandbox.id);
      expect(await rig.runtime.sandboxStatus(sandbox.id)).toMatchObject({ state: 'notready', ips: [] });
      expect(await sandbox.ended(container)).toMatchObject({ exitCode: 137 });
      await expect(sandbox.create(COMMANDS.runs)).rejects.toMatchObject({ name: 'RuntimeError' });
    });

    it('that is removed takes its containers along', async () => {
      const sandbox = await rig.sandbox();
      const container = await sandbox.start(COMMANDS.runs);
      await rig.runtime.stopSandbox(sandbox.id);
      await rig.runtime.removeSandbox(sandbox.id);
      await expect(rig.runtime.sandboxStatus(sandbox.id)).rejects.toSatisfy(isNotFound);
      await expect(rig.runtime.containerStatus(container)).rejects.toSatisfy(isNotFound);
    });

    it('that does not exist can be stopped and removed, and nothing else', async () => {
      await rig.runtime.stopSandbox('none');
      await rig.runtime.removeSandbox('none');
      await expect(rig.runtime.sandboxStatus('none')).rejects.toSatisfy(isNotFound);
    });
  });
}

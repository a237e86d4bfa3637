import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ContainerConfig } from '../containers.js';
import type { Rig } from './rig.js';

/** Describes what a container's settings mean for its program, where it has a root and namespaces of its own. */
export function describeSettings(rig: Rig): void {
  /** Runs a container to its end; resolves with the text of its standard output. */
  async function outputOf(command: readonly string[], more: Partial<ContainerConfig> = {}): Promise<string> {
    const sandbox = await rig.sandbox();
    const id = await sandbox.start(command, more);
    await sandbox.ended(id);
    const read = () => readFileSync(join(sandbox.config.logDirectory, 'c/0.log'), 'utf8');
    await expect.poll(read).toContain('stdout');
    return read().replaceAll(/^\S+ std\S+ . /gm, '');
  }
  const script = (text: string, more: Partial<ContainerConfig> = {}) => outputOf(['sh', '-c', text], more);
  const namespaces = { network: 'node', pid: 'container', ipc: 'pod' } as const;
  const security = (more: Partial<ContainerConfig['security']>): Partial<ContainerConfig> => ({
    security: { namespaces: { ...namespaces, network: rig.traits.hasNetwork ? 'pod' : 'node' }, ...more },
  });

  describe('the program of a container', () => {
    it("is the image's, if none is set", async () => {
      expect(await outputOf([])).toBe('default\n');
    });

    it('gets arguments, environment and folder', async () => {
      const env = [{ name: 'A', value: 'x y=$z' }];
      expect(await outputOf(['sh'], { args: ['-c', 'echo "$A" "$PWD"'], env, workingDir: '/tmp' })).toBe(
        'x y=$z /tmp\n',
      );
    });

    it("keeps the image's environment", async () => {
      const env = [{ name: 'B', value: '1' }];
      expect(await script('echo $FROM_IMAGE $B', { env })).toBe('yes 1\n');
    });

    it('sees volumes, and writes only to those that are not read-only', async () => {
      const [volume, fixed] = [rig.folder('volume'), rig.folder('fixed')];
      writeFileSync(join(fixed, 'file'), 'kept');
      const mounts = [
        { containerPath: '/volume', hostPath: volume },
        { containerPath: '/fixed', hostPath: fixed, readOnly: true },
        { containerPath: '/etc/own', hostPath: join(fixed, 'file') },
      ];
      const text = 'cat /fixed/file /etc/own > /volume/made; echo x > /fixed/file || echo refused';
      expect(await script(text, { mounts })).toContain('refused');
      expect(readFileSync(join(volume, 'made'), 'utf8')).toBe('keptkept');
      expect(readFileSync(join(fixed, 'file'), 'utf8')).toBe('kept');
    });

    it('has a root of its own, in which it may write unless it is read-only', async () => {
      expect(await script('echo x > /file && cat /file')).toBe('x\n');
      const text = 'ls /file 2>/dev/null; echo x > /file || echo refused';
      expect(await script(text, security({ readOnlyRootFilesystem: true }))).toContain('refused');
    });

    it('runs as the user and group that are set', async () => {
      const more = security({ runAsUser: 1234, runAsGroup: 2345, supplementalGroups: [3456] });
      const output = await script('id -u; id -g; id -G', more);
      expect(output).toMatch(/^1234\n2345\n/);
      expect(output.trim().split(/\s+/)).toContain('3456');
    });

    it('sees its own processes only', async () => {
      expect(await script('echo $$; ls /proc | grep -c "^[0-9]"')).toMatch(/^1\n[1-9]\n/);
    });

    if (rig.traits.hasNetwork)
      it('has the host name of its sandbox', async () => {
        expect(await script('hostname')).toMatch(/^pod-\d+\n$/);
      });

    it('has no capabilities that were dropped, and gets no privileges', async () => {
      const more = security({ capabilities: { drop: ['ALL'] }, noNewPrivileges: true });
      const output = await script('grep -E "^(CapEff|CapBnd|NoNewPrivs)" /proc/self/status', more);
      expect(output.replaceAll(/\s+/g, ' ')).toBe('CapEff: 0000000000000000 CapBnd: 0000000000000000 NoNewPrivs: 1 ');
    });
  });
}

import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { StreamEndpoint } from '../streams.js';
import { COMMANDS, type Rig } from './rig.js';

/** Describes commands in containers, attachments and usage. */
export function describeCommands(rig: Rig): void {
  const run = async (containerId: string, script: string, timeout = 60_000) => {
    const { stdout, stderr, exitCode } = await rig.runtime.execSync({
      ...{ containerId, timeout, command: ['sh', '-c', script] },
    });
    return { stdout: stdout.toString(), stderr: stderr.toString(), exitCode };
  };
  /** Streams of an endpoint; of a URL nothing but its form is looked at. */
  const streamsOf = (endpoint: StreamEndpoint) => {
    if (endpoint.kind === 'streams') return endpoint.streams;
    expect(endpoint.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\S+$/);
    return undefined;
  };
  const selection = { stdin: true, stdout: true, stderr: true, tty: false };

  describe('a command in a container', () => {
    it('has output and an exit code', async () => {
      const sandbox = await rig.sandbox();
      const id = await sandbox.start(COMMANDS.runs);
      expect(await run(id, 'echo out; echo err >&2; exit 5')).toEqual({
        stdout: 'out\n',
        stderr: 'err\n',
        exitCode: 5,
      });
    });

    it('is killed when it takes too long', async () => {
      const sandbox = await rig.sandbox();
      const id = await sandbox.start(COMMANDS.runs);
      await expect(run(id, 'sleep 1000', 1_000)).rejects.toMatchObject({ code: 'DeadlineExceeded' });
    });

    it('needs a container that runs', async () => {
      const sandbox = await rig.sandbox();
      const id = await sandbox.start(COMMANDS.succeeds);
      await sandbox.ended(id);
      await expect(run(id, 'true')).rejects.toMatchObject({ name: 'RuntimeError' });
    });

    it('has streams', async () => {
      const sandbox = await rig.sandbox();
      const containerId = await sandbox.start(COMMANDS.runs);
      const streams = streamsOf(await rig.runtime.exec({ ...selection, containerId, command: COMMANDS.echoes }));
      if (!streams) return;
      streams.stdin?.end('through\n');
      expect(streams.stdout && (await text(streams.stdout))).toBe('through\n');
      expect(await streams.exit).toBe(0);
    });

    it('is ended with its streams', async () => {
      const sandbox = await rig.sandbox();
      const containerId = await sandbox.start(COMMANDS.runs);
      const streams = streamsOf(await rig.runtime.exec({ ...selection, containerId, command: COMMANDS.echoes }));
      streams?.close();
      await streams?.exit.catch(() => undefined);
    });
  });

  describe('an attachment', () => {
    it("has the streams of the container's program", async () => {
      const sandbox = await rig.sandbox();
      const containerId = await sandbox.start(COMMANDS.echoes, { stdin: true, stdinOnce: true });
      const streams = streamsOf(await rig.runtime.attach({ ...selection, containerId }));
      if (!streams) return;
      streams.stdin?.write('attached\n');
      const first = await new Promise((resolve) => streams.stdout?.once('data', (piece) => resolve(String(piece))));
      expect(first).toBe('attached\n');
      streams.close();
      expect(await rig.runtime.containerStatus(containerId)).toMatchObject({ state: expect.stringMatching(/./) });
    });
  });

  describe('the usage of a container', () => {
    it('is reported by itself, in lists, and with its sandbox', async () => {
      const sandbox = await rig.sandbox();
      const id = await sandbox.start(COMMANDS.runs);
      const usage = await rig.runtime.containerStatistics(id);
      expect(usage).toMatchObject({ id, metadata: { name: 'c' } });
      expect(usage.cpu?.usageCoreNanoseconds).toBeGreaterThan(0);
      expect(usage.memory?.workingSetBytes).toBeGreaterThan(0);
      const listed = await rig.runtime.listContainerStatistics({ sandboxId: sandbox.id });
      expect(listed.map((each) => each.id)).toEqual([id]);
      const whole = await rig.runtime.sandboxStatistics(sandbox.id);
      expect(whole.metadata).toEqual(sandbox.config.metadata);
      expect(whole.containers.map((each) => each.id)).toEqual([id]);
      const sandboxes = await rig.runtime.listSandboxStatistics({ labels: sandbox.config.labels });
      expect(sandboxes.map((each) => each.id)).toEqual([sandbox.id]);
    });
  });
}

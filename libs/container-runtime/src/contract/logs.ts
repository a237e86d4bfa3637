import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS, type Rig, type RigSandbox } from './rig.js';

const LINE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}(?:Z|[+-]\d\d:\d\d) (stdout|stderr) ([FP]) (.*)$/;
const logOf = ({ config }: RigSandbox): string => join(config.logDirectory, 'c/0.log');

/** Describes logs of containers. */
export function describeLogs(rig: Rig): void {
  describe('the log of a container', () => {
    it('has lines with time, stream and tag', async () => {
      const sandbox = await rig.sandbox();
      await sandbox.ended(await sandbox.start(COMMANDS.prints));
      const lines = () => readFileSync(logOf(sandbox), 'utf8').trimEnd().split('\n');
      await expect.poll(() => lines().length).toBe(3);
      const parts = lines().map((line) => LINE.exec(line)?.slice(1).join(' '));
      expect(parts.sort()).toEqual(['stderr F err', 'stdout F out', 'stdout P rest']);
    });

    if (rig.traits.executes)
      it('continues in a new file after it was renamed and reopened', async () => {
        const sandbox = await rig.sandbox();
        const print = 'i=0; while :; do i=$((i+1)); echo line $i; sleep 0.1; done';
        const id = await sandbox.start(['sh', '-c', print]);
        await expect.poll(() => readFileSync(logOf(sandbox), 'utf8')).toContain('line 2');
        renameSync(logOf(sandbox), `${logOf(sandbox)}.1`);
        await rig.runtime.reopenContainerLog(id);
        await expect.poll(() => readFileSync(logOf(sandbox), 'utf8')).toMatch(/line/);
        await rig.runtime.removeContainer(id);
        const numbers = [`${logOf(sandbox)}.1`, logOf(sandbox)].flatMap((path) =>
          [...readFileSync(path, 'utf8').matchAll(/line (\d+)/g)].map(([, number]) => Number(number)),
        );
        expect(numbers).toEqual(numbers.map((_, index) => index + 1));
      });
  });
}

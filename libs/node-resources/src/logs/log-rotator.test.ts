import { appendFile, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { RuntimeError } from '@orch/container-runtime';
import { silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogRotator } from './log-rotator.js';

let clock: ManualClock;
let folder: string;
let log: string;
let failure: Error | undefined;
let reopened: number;
let asked: number;
let isGone: boolean;

beforeEach(async () => {
  clock = new ManualClock();
  folder = await mkdtemp(join(tmpdir(), 'logs-'));
  log = join(folder, '0.log');
  failure = undefined;
  reopened = 0;
  asked = 0;
  isGone = false;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A runtime of one container, which makes its log anew when it is told to. */
function rotator(maxFiles = 3): LogRotator {
  const facts = { sandboxId: 's', metadata: { name: 'c', attempt: 0 }, image: 'i', imageRef: 'i', createdAt: 0 };
  const listed = { id: 'c', ...facts, state: 'running' as const, labels: {}, annotations: {} };
  return new LogRotator({
    runtime: {
      listContainers: async () => (isGone ? [] : [listed]),
      containerStatus: async () => {
        asked++;
        return { ...listed, exitCode: 0, reason: '', message: '', logPath: log, mounts: [] };
      },
      reopenContainerLog: async () => {
        if (failure) throw failure;
        reopened++;
        await appendFile(log, '');
      },
    },
    ...{ maxBytes: 10, maxFiles, clock, logger: silentLogger },
  });
}

const files = async () => (await readdir(folder)).sort();

describe('LogRotator', () => {
  it('--container-log-max-size: renames a log that is large enough, and leaves a smaller one', async () => {
    await writeFile(log, '123456789');
    await rotator().rotate();
    expect([await files(), reopened]).toEqual([['0.log'], 0]);
    await writeFile(log, '1234567890');
    await rotator().rotate();
    expect([await files(), reopened]).toEqual([['0.log', '0.log.20230411-000000'], 1]);
  });

  it('asks the runtime once for the path of the log of a container, and forgets it with the container', async () => {
    await writeFile(log, '1');
    const rotate = rotator();
    for (let round = 0; round < 3; round++) await rotate.rotate();
    expect(asked).toBe(1);
    for (isGone of [true, false]) await rotate.rotate();
    expect(asked).toBe(2);
  });

  it('--container-log-max-files: keeps so many files, all but the newest compressed', async () => {
    const rotate = rotator();
    for (let round = 0; round < 4; round++) {
      await writeFile(log, `round ${round} ...`);
      await rotate.rotate();
      await clock.advance(1_000);
    }
    expect(await files()).toEqual(['0.log', '0.log.20230411-000002.gz', '0.log.20230411-000003']);
    const compressed = gunzipSync(await readFile(join(folder, '0.log.20230411-000002.gz'))).toString();
    expect(compressed).toBe('round 2 ...');
  });

  it('loses nothing if it ended between rename and reopening, or while it compressed', async () => {
    await writeFile(log, 'before the end');
    await rename(log, `${log}.20230410-000000`);
    await writeFile(`${log}.20230409-000000.gz.tmp`, 'half');
    await rotator().rotate();
    expect([await files(), reopened]).toEqual([['0.log', '0.log.20230409-000000.gz.tmp', '0.log.20230410-000000'], 1]);
    await writeFile(log, 'after the end');
    await rotator().rotate();
    expect(await files()).toEqual(['0.log', '0.log.20230410-000000.gz', '0.log.20230411-000000']);
  });

  it('follows no links that a container with rights to the folder has put beside its log', async () => {
    const other = await mkdtemp(join(tmpdir(), 'other-'));
    const [secret, precious] = [join(other, 'secret'), join(other, 'precious')];
    await writeFile(secret, 'secret');
    await writeFile(precious, 'precious');
    await symlink(secret, `${log}.20230410-000000`);
    await writeFile(`${log}.20230410-000001`, 'rotated');
    await symlink(precious, `${log}.20230410-000001.gz.tmp`);
    await writeFile(log, '1234567890');
    await rotator(9).rotate();
    expect(await readFile(precious, 'utf8')).toBe('precious');
    const written = (await files()).filter((name) => name.endsWith('.gz'));
    for (const name of written)
      expect(gunzipSync(await readFile(join(folder, name))).toString()).not.toContain('secret');
    await rm(other, { recursive: true });
  });

  it('gives the log its name again when the runtime cannot reopen it, or the container is gone', async () => {
    await writeFile(log, '1234567890');
    for (const error of [new Error('busy'), new RuntimeError('NotFound', 'gone')]) {
      failure = error;
      await rotator().rotate();
      expect(await files()).toEqual(['0.log']);
    }
  });
});

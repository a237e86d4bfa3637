import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namesOf } from '@orch/machinery';
import { defaultConfiguration } from '@orch/scheduler';
import { pluginRegistry } from '@orch/scheduler-plugins';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configurationOf } from './configuration.js';

const names = namesOf('kubernetes');
let dir: string;
let file: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'scheduler-configuration-'));
  file = join(dir, 'scheduler.yaml');
  const head = 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n';
  writeFileSync(file, `${head}leaderElection: { leaseDuration: 60s, resourceName: of-the-file }\n`);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('the configuration of a process', () => {
  it.each(['orch', 'kubernetes'] as const)('is the default one without a file, with names of %s', async (profile) => {
    const own = namesOf(profile);
    const settings = { registry: pluginRegistry, names: own, features: { volumeCapacityPriority: false } };
    const { configuration, warnings } = await configurationOf({ file: undefined, names: own });
    expect([configuration, warnings]).toEqual([defaultConfiguration(settings), []]);
  });

  it('has the options of the Lease above those of the file', async () => {
    const overrides = { leaderElect: false, leaderElectLeaseDuration: 30_000, leaderElectResourceNamespace: 'mine' };
    const { configuration } = await configurationOf({ file, names, overrides });
    expect(configuration.leaderElection).toMatchObject({
      ...{ leaderElect: false, leaseDurationMs: 30_000, renewDeadlineMs: 10_000 },
      ...{ resourceName: 'of-the-file', resourceNamespace: 'mine' },
    });
  });

  it('is refused where both together cannot be', async () => {
    const reading = configurationOf({ file, names, overrides: { leaderElectRenewDeadline: 90_000 } });
    await expect(reading).rejects.toThrow(/scheduler.yaml: .*leaderElection\.leaseDuration/);
  });
});

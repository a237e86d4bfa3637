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

  it('has what deprecated options say where there is no file, and not otherwise', async () => {
    const deprecated = {
      kubeApiQps: 7.5,
      kubeApiBurst: 9,
      kubeApiContentType: 'application/json',
      lockObjectName: 'x',
    };
    const { configuration } = await configurationOf({ file: undefined, names, deprecated });
    expect(configuration.clientConnection).toMatchObject({ qps: 7.5, burst: 9, contentType: 'application/json' });
    expect(configuration.leaderElection).toMatchObject({ resourceName: 'x', resourceNamespace: 'kube-system' });
    const overrides = { leaderElectResourceName: 'y' };
    const other = await configurationOf({ file: undefined, names, deprecated, overrides });
    expect(other.configuration.leaderElection.resourceName).toBe('y');
    const withFile = await configurationOf({ file, names, deprecated });
    expect(withFile.configuration).toEqual((await configurationOf({ file, names })).configuration);
  });

  it('has a shape for volumes only with the feature', async () => {
    const own = join(dir, 'shape.yaml');
    const shape = '[{ utilization: 0, score: 1 }, { utilization: 100, score: 9 }]';
    const args = `{ name: VolumeBinding, args: { shape: ${shape} } }`;
    const head = 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n';
    writeFileSync(own, `${head}profiles: [{ schedulerName: a, pluginConfig: [${args}] }]\n`);
    await expect(configurationOf({ file: own, names })).rejects.toThrow(/shape/);
    const { configuration } = await configurationOf({ file: own, names, volumeCapacityPriority: true });
    expect(configuration.profiles[0]?.args.VolumeBinding.shape).toEqual([
      { utilization: 0, score: 1 },
      { utilization: 100, score: 9 },
    ]);
  });

  it('is refused where both together cannot be', async () => {
    const reading = configurationOf({ file, names, overrides: { leaderElectRenewDeadline: 90_000 } });
    await expect(reading).rejects.toThrow(/scheduler.yaml: .*leaderElection\.leaseDuration/);
  });
});

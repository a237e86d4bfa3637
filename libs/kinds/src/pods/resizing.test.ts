import { describe, expect, it } from 'vitest';
import { triedKind } from '../testing/refusals.js';
import { withFeatures } from '../testing/settings.js';

const LEAST = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'default' },
  spec: { containers: [{ name: 'c', image: 'nginx:1' }] },
};
const on = triedKind('', 'v1', 'pods', LEAST, withFeatures({ InPlacePodVerticalScaling: true }));
const off = triedKind('', 'v1', 'pods', LEAST);
const RESOURCES = 'spec.containers.0.resources';
const asks = (cpu: string, rest = {}) => ({ [RESOURCES]: { requests: { cpu, ...rest } } });
const policies = (object: object) => Object(object).spec.containers[0].resizePolicy;

describe('InPlacePodVerticalScaling', () => {
  it('says what happens to containers that ask for CPU or memory', () => {
    const cpu = { resourceName: 'cpu', restartPolicy: 'NotRequired' };
    const memory = { resourceName: 'memory', restartPolicy: 'RestartContainer' };
    expect(policies(on.made(asks('1')))).toEqual([cpu]);
    expect(policies(on.made({ [RESOURCES]: { limits: { cpu: '1' } } }))).toEqual([cpu]);
    expect(policies(on.made({ ...asks('1', { memory: '1Gi' }), 'spec.containers.0.resizePolicy': [memory] }))).toEqual([
      memory,
      cpu,
    ]);
    expect(policies(on.made({}))).toBeUndefined();
    expect(policies(off.made(asks('1')))).toBeUndefined();
  });

  it('lets CPU and memory change, and nothing else', () => {
    expect(on.updated(asks('1'), asks('2'))).toEqual([]);
    expect(off.updated(asks('1'), asks('2'))).toEqual([
      expect.stringMatching(/^spec: Forbidden: .*negative\)\nchanged/),
    ]);
    expect(on.updated(asks('1'), asks('1', { 'ephemeral-storage': '1Gi' }))).toEqual([
      expect.stringContaining(
        'was previously negative),`spec.containers[*].resources` (for CPU/memory only)\nchanged: containers',
      ),
    ]);
  });

  it('still lets images change, of containers that ask for nothing as well', () => {
    expect(on.updated({}, { 'spec.containers.0.image': 'nginx:2' })).toEqual([]);
    expect(on.updated({ [RESOURCES]: {} }, { [RESOURCES]: undefined, 'spec.containers.0.image': 'nginx:2' })).toEqual(
      [],
    );
    expect(on.updated(asks('1'), { 'spec.containers.0.image': 'nginx:2' })).toEqual([]);
  });

  it('takes updates of pods that are older than it', () => {
    const old = off.stored(asks('1'));
    expect(policies(old)).toBeUndefined();
    const relabelled = on.rewritten(old, { 'metadata.labels': { a: 'b' } });
    expect(policies(relabelled)).toHaveLength(1);
    expect(on.refusedOf(relabelled, old)).toEqual([]);
    const observed = on.rewritten(old, { 'status.phase': 'Running' }, 'status');
    expect(policies(observed)).toBeUndefined();
    expect(on.refusedOf(observed, old)).toEqual([]);
  });

  it('keeps the quality of service', () => {
    const all = { cpu: '1', memory: '1Gi' };
    expect(
      on.updated(
        { [RESOURCES]: { limits: all, requests: all } },
        { [RESOURCES]: { limits: all, requests: { ...all, cpu: '500m' } } },
      ),
    ).toEqual(['metadata: Invalid value: "Burstable": Pod QoS is immutable']);
  });

  it('proposes what differs from what was given', () => {
    const running = (cpu: string) => ({ status: { containerStatuses: [{ name: 'c', allocatedResources: { cpu } }] } });
    const resize = (kind: typeof on, given: string) =>
      Object(kind.rewritten({ ...kind.stored(asks('1')), ...running(given) }, asks('2')).status).resize;
    expect([resize(on, '1'), resize(on, '2'), resize(off, '1')]).toEqual(['Proposed', undefined, undefined]);
  });
});

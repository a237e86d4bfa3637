import { namesOf } from '@orch/machinery';
import { DEFAULT_FEATURES, type FeatureName } from '@orch/schema';
import type { PodSpec } from '@orch/schema/types/core/v1';
import { describe, expect, it } from 'vitest';
import { dropDisabled } from '../rules/gated-fields.js';
import { newPod, refusals, steps } from '../testing/judged-pods.js';
import { triedKind } from '../testing/refusals.js';
import { withFeatures } from '../testing/settings.js';
import { POD_FIELDS } from './gated-fields.js';

const OFF = {
  'spec.hostUsers': false,
  'spec.resourceClaims': [{ name: 'r', source: { resourceClaimName: 'x' } }],
  'spec.containers.0.resources': { claims: [{ name: 'r' }], limits: { cpu: '1' } },
  'spec.containers.0.resizePolicy': [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
  'spec.containers.0.securityContext': { procMount: 'Unmasked' },
  'spec.volumes': [
    {
      name: 'v',
      ephemeral: {
        volumeClaimTemplate: {
          spec: {
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' }, claims: [{ name: 'r' }] },
          },
        },
      },
    },
  ],
};
const WHOLE = {
  hostUsers: false,
  resourceClaims: [{ name: 'r' }],
  containers: [
    {
      resources: { claims: [{ name: 'r' }] },
      resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
      securityContext: { procMount: 'Unmasked' },
    },
  ],
};

describe('fields of features that are off', () => {
  it('are taken out of new pods', () => {
    const { spec } = newPod(OFF);
    expect(spec).not.toHaveProperty('hostUsers');
    expect(spec).not.toHaveProperty('resourceClaims');
    const [container] = Object(spec).containers;
    expect(container.resources).not.toHaveProperty('claims');
    expect(container).not.toHaveProperty('resizePolicy');
    expect(container.securityContext).toEqual({ procMount: 'Default' });
    const [volume] = Object(spec).volumes;
    expect(volume.ephemeral.volumeClaimTemplate.spec.resources).toEqual({ requests: { storage: '1Gi' } });
    expect(refusals(OFF)).toEqual([]);
  });

  it('are taken out of updates of pods that have none', () => {
    const [, object] = steps('', {}, { 'spec.hostUsers': true });
    expect(object.spec).not.toHaveProperty('hostUsers');
  });

  it('stay with those that have them', () => {
    const [spec, same] = [structuredClone(WHOLE), structuredClone(WHOLE)];
    dropDisabled(
      POD_FIELDS,
      DEFAULT_FEATURES,
      namesOf('kubernetes'),
    )({ spec: spec as PodSpec }, { spec: same as PodSpec });
    expect(spec).toEqual(same);
  });
});

const LEAST = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'default' },
  spec: { containers: [{ name: 'c', image: 'nginx:1', resources: { requests: { cpu: '1' } } }] },
};
const pods = (features: Partial<Record<FeatureName, boolean>> = {}) =>
  triedKind('', 'v1', 'pods', LEAST, withFeatures(features));
const SPREAD = {
  maxSkew: 1,
  topologyKey: 'zone',
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { a: 'b' } },
};

describe.each<[FeatureName, string, unknown, string, unknown?]>([
  ['UserNamespacesStatelessPodsSupport', 'spec.hostUsers', false, 'spec.hostUsers'],
  ['PodSchedulingReadiness', 'spec.schedulingGates', [{ name: 'g' }], 'spec.schedulingGates'],
  [
    'ProcMountType',
    'spec.containers.0.securityContext',
    { procMount: 'Unmasked' },
    'spec.containers.0.securityContext',
    { procMount: 'Default' },
  ],
  ...(['minDomains', 'nodeTaintsPolicy', 'nodeAffinityPolicy', 'matchLabelKeys'] as const).map(
    (name): [FeatureName, string, unknown, string, unknown] => {
      const value = { minDomains: 2, nodeTaintsPolicy: 'Honor', nodeAffinityPolicy: 'Ignore', matchLabelKeys: ['k'] }[
        name
      ];
      const feature =
        name === 'minDomains'
          ? 'MinDomainsInPodTopologySpread'
          : name === 'matchLabelKeys'
            ? 'MatchLabelKeysInPodTopologySpread'
            : 'NodeInclusionPolicyInPodTopologySpread';
      return [
        feature,
        'spec.topologySpreadConstraints',
        [{ ...SPREAD, [name]: value }],
        'spec.topologySpreadConstraints',
        [SPREAD],
      ];
    },
  ),
  [
    'DynamicResourceAllocation',
    'spec.resourceClaims',
    [{ name: 'r', source: { resourceClaimName: 'x' } }],
    'spec.resourceClaims',
  ],
  [
    'AppArmor',
    'metadata.annotations',
    { 'container.apparmor.security.beta.kubernetes.io/c': 'runtime/default' },
    'metadata.annotations',
    {},
  ],
])('%s', (feature, path, value, found, without) => {
  const read = (object: unknown) =>
    found
      .split('.')
      .reduce<unknown>((here, name) => (here === undefined ? here : Reflect.get(Object(here), name)), object);

  it(`decides whether a new pod has ${path}`, () => {
    expect(read(pods({ [feature]: true }).stored({ [path]: value }))).toEqual(value);
    expect(pods({ [feature]: true }).created({ [path]: value })).toEqual([]);
    expect(read(pods({ [feature]: false }).stored({ [path]: value }))).toEqual(without);
  });
});

describe('ProbeTerminationGracePeriod', () => {
  const livenessProbe = { tcpSocket: { port: 1 }, terminationGracePeriodSeconds: 5 };
  it('brings the grace of probes', () => {
    const graceOf = (on: boolean) => {
      const made = pods({ ProbeTerminationGracePeriod: on }).stored({
        'spec.containers.0.livenessProbe': livenessProbe,
      });
      return Object(made.spec).containers[0].livenessProbe.terminationGracePeriodSeconds;
    };
    expect([graceOf(true), graceOf(false)]).toEqual([5, undefined]);
  });
});

describe('ExpandedDNSConfig', () => {
  const searches = Array.from({ length: 7 }, (_, index) => `d${index}.test`);
  const change = { 'spec.dnsConfig': { searches } };
  it('lets pods search in more domains', () => {
    expect(pods().created(change)).toEqual([]);
    expect(pods({ ExpandedDNSConfig: false }).created(change)).toEqual([
      expect.stringContaining('must not have more than 6 search paths'),
    ]);
  });

  it('takes none from those that have them', () => {
    const off = pods({ ExpandedDNSConfig: false });
    expect(off.updated(change, { 'spec.containers.0.image': 'nginx:2' })).toEqual([]);
  });
});

it('without PodDeletionCost the cost may be anything', () => {
  const cost = { 'metadata.annotations': { 'controller.kubernetes.io/pod-deletion-cost': 'much' } };
  expect(pods().created(cost)).toHaveLength(1);
  expect(pods({ PodDeletionCost: false }).created(cost)).toEqual([]);
});

it('without PodSchedulingReadiness a gated pod is told of no fewer nodes', () => {
  const gated = { 'spec.schedulingGates': [{ name: 'g' }] };
  const narrowed = { 'spec.nodeSelector': { a: 'b' } };
  expect(pods().updated(gated, narrowed)).toEqual([]);
  const off = triedKind('', 'v1', 'pods', LEAST, withFeatures({ PodSchedulingReadiness: false }));
  expect(off.updated({}, narrowed)).toEqual([expect.stringContaining('changed: nodeSelector')]);
});

import { expect, it } from 'vitest';
import { refusals, stepRefusals } from '../testing/judged-pods.js';

const fields = (causes: readonly string[]): string[] => causes.map((cause) => cause.slice(0, cause.indexOf(': ')));

it('takes names that every object inherits for what they are: names', () => {
  const causes = refusals({
    'metadata.annotations': { 'container.seccomp.security.alpha.kubernetes.io/constructor': 'unconfined' },
    'spec.securityContext': { seccompProfile: { type: 'constructor' } },
    'spec.nodeSelector': { constructor: 'a' },
    'spec.volumes': [{ name: 'constructor' }],
    'spec.tolerations': [{ key: 'constructor', operator: 'constructor' }],
    'spec.containers.0': {
      name: 'constructor',
      image: 'constructor',
      resources: { limits: { constructor: '1' }, requests: { valueOf: '1' } },
      securityContext: { seccompProfile: { type: 'toString' } },
      env: [{ name: 'a', valueFrom: { resourceFieldRef: { resource: 'limits.constructor', divisor: '2' } } }],
      volumeMounts: [{ name: 'valueOf', mountPath: '/a' }],
    },
  });
  expect(fields(causes)).toEqual([
    'spec.containers[0].env[0].valueFrom.resourceFieldRef.resource',
    'spec.containers[0].volumeMounts[0].name',
    ...['limits[constructor]', 'requests[valueOf]', 'requests[constructor]'].flatMap((place) => [
      `spec.containers[0].resources.${place}`,
      `spec.containers[0].resources.${place}`,
    ]),
    'spec.containers[0].securityContext.seccompProfile.type',
    'spec.securityContext.seccompProfile.type',
    'spec.tolerations[0].operator',
  ]);
});

it('compares them in updates', () => {
  const gated = { 'spec.schedulingGates': [{ name: 'a' }], 'spec.nodeSelector': { constructor: 'a' } };
  expect(fields(stepRefusals('', gated, { 'spec.nodeSelector': {} }))).toEqual(['spec.nodeSelector']);
  expect(stepRefusals('', gated, { 'spec.nodeSelector': { constructor: 'a', valueOf: 'b' } })).toEqual([]);
});

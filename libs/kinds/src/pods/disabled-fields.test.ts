import { describe, expect, it } from 'vitest';
import { newPod, refusals, steps } from '../testing/judged-pods.js';
import { dropDisabledFields } from './disabled-fields.js';

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
const whole = { hostUsers: false, resourceClaims: [{ name: 'r' }] };

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
    const spec = {
      ...structuredClone(whole),
      containers: [
        {
          resources: { claims: [{ name: 'r' }] },
          resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
          securityContext: { procMount: 'Unmasked' },
        },
      ],
    };
    const same = structuredClone(spec);
    dropDisabledFields(spec, same);
    expect(spec).toEqual(same);
  });
});

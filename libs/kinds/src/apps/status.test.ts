import { describe, expect, it } from 'vitest';
import { triedKind } from '../testing/refusals.js';

const selector = { matchLabels: { app: 'a' } };
const container = { name: 'c', image: 'nginx' };
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [container] } };
const made = (plural: string) => triedKind('apps', 'v1', plural, { spec: { selector, template } });
const whole = 'cannot be greater than status.replicas';

describe('what controllers report', () => {
  it.each<[string, Record<string, unknown>, string[]]>([
    ['deployments', { replicas: 3, readyReplicas: 3, availableReplicas: 2, updatedReplicas: 1 }, []],
    [
      'deployments',
      { replicas: 1, updatedReplicas: 2, readyReplicas: 0, availableReplicas: 1, unavailableReplicas: -1 },
      [
        'status.unavailableReplicas: Invalid value: -1: must be greater than or equal to 0',
        `status.updatedReplicas: Invalid value: 2: ${whole}`,
        'status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas',
      ],
    ],
    [
      'replicasets',
      { replicas: 1, fullyLabeledReplicas: 2, readyReplicas: 2, availableReplicas: 2, observedGeneration: -1 },
      [
        'status.observedGeneration: Invalid value: -1: must be greater than or equal to 0',
        ...['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'].map(
          (name) => `status.${name}: Invalid value: 2: ${whole}`,
        ),
      ],
    ],
    [
      'statefulsets',
      { replicas: 1, currentReplicas: 2, availableReplicas: 1 },
      [
        `status.currentReplicas: Invalid value: 2: ${whole}`,
        'status.availableReplicas: Invalid value: 1: cannot be greater than status.readyReplicas',
      ],
    ],
    [
      'daemonsets',
      { currentNumberScheduled: -1, numberMisscheduled: 0, desiredNumberScheduled: 1, numberReady: -2 },
      [
        'status.currentNumberScheduled: Invalid value: -1: must be greater than or equal to 0',
        'status.numberReady: Invalid value: -2: must be greater than or equal to 0',
      ],
    ],
  ])('of %s: %j', (plural, status, expected) => {
    expect(made(plural).updated({}, { status }, 'status')).toEqual(expected);
  });

  it('counts collisions upwards', () => {
    const [before, after] = [{ status: { replicas: 0, collisionCount: 2 } }, { 'status.collisionCount': 1 }];
    for (const plural of ['deployments', 'statefulsets', 'daemonsets']) {
      expect(made(plural).updated(before, after, 'status')).toEqual([
        'status.collisionCount: Invalid value: 1: cannot be decremented',
      ]);
    }
  });

  it('is looked at for replication controllers as for replica sets', () => {
    const controller = triedKind('', 'v1', 'replicationcontrollers', { spec: { template } });
    expect(controller.updated({}, { status: { replicas: 0, readyReplicas: 1 } }, 'status')).toEqual([
      `status.readyReplicas: Invalid value: 1: ${whole}`,
    ]);
  });
});

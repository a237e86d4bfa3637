import { expect, test } from 'vitest';
import { excludedIn } from './excluded.js';

const [OWN, LATER] = ['v1.27.16', 'v1.37.2'];

test.each([
  [
    OWN,
    '[sig-apps] Daemon set [Serial] should rollback without unnecessary restarts [Conformance]',
    'there is one node',
  ],
  [LATER, '[sig-apps] Daemon set should rollback without unnecessary restarts [Conformance]', 'there is one node'],
  [LATER, '[sig-node] Resize works [MinimumKubeletVersion:1.34] [Conformance]', 'for kubelets from 1.34 on'],
  [LATER, '[sig-apps] Job with successPolicy succeeds', 'Jobs have successPolicy from a later release on'],
  [
    LATER,
    '[sig-apps] Job should manage the lifecycle of a job [Conformance]',
    'the controller of 1.27 gives no reason for which a Job is complete',
  ],
  [
    OWN,
    '[sig-storage] PersistentVolumes-local Pods sharing a single local PV [Serial] all pods should be running',
    'its volume is /tmp of the machine, which is given to a group with all that is in it',
  ],
  [OWN, '[sig-apps] Job with successPolicy succeeds', undefined],
  [LATER, '[sig-apps] Daemon set should run and stop', undefined],
])('suite %s: %s', (suite, name, reason) => {
  expect(excludedIn(suite)(name)).toBe(reason);
});

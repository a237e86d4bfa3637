import type { ApiObject } from '@orch/machinery';
import type { Pod, Toleration } from '@orch/schema/types/core/v1';
import { expect, it } from 'vitest';
import { attributesOf, pluginOf, targetOf } from '../../testing/index.js';

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const settings = { notReadyTolerationSeconds: 300, unreachableTolerationSeconds: 60, authorizerCallsOut: false };
const plugin = pluginOf('DefaultTolerationSeconds', { settings });
const added = (key: string, tolerationSeconds: number) => ({
  ...{ key, tolerationSeconds },
  operator: 'Exists',
  effect: 'NoExecute',
});

it.each<[string, Toleration[], (string | undefined)[]]>([
  ['nothing', [], [NOT_READY, UNREACHABLE]],
  ['something else', [{ key: 'a', operator: 'Exists' }], ['a', NOT_READY, UNREACHABLE]],
  ['one of them', [{ key: UNREACHABLE, effect: 'NoExecute' }], [UNREACHABLE, NOT_READY]],
  ['one with any effect', [{ key: NOT_READY }], [NOT_READY, UNREACHABLE]],
  ['one with another effect', [{ key: NOT_READY, effect: 'NoSchedule' }], [NOT_READY, NOT_READY, UNREACHABLE]],
  ['everything', [{ operator: 'Exists' }], [undefined]],
])('a pod that tolerates %s', async (_, tolerations, keys) => {
  const pod: Pod = { spec: { tolerations } };
  await plugin.admit?.(attributesOf({ object: pod as ApiObject }));
  expect(pod.spec?.tolerations?.map(({ key }) => key)).toEqual(keys);
});

it('adds them as options say, and of pods alone', async () => {
  const pod: Pod = { spec: {} };
  await plugin.admit?.(attributesOf({ object: pod as ApiObject, operation: 'UPDATE' }));
  expect(pod.spec?.tolerations).toEqual([added(NOT_READY, 300), added(UNREACHABLE, 60)]);
  expect(plugin.handles(targetOf({ resource: 'podtemplates' }))).toBe(false);
  expect(plugin.handles(targetOf({ subresource: 'status', operation: 'UPDATE' }))).toBe(false);
  expect(plugin.handles(targetOf({ operation: 'DELETE' }))).toBe(false);
});

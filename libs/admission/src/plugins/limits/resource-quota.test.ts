import type { ApiObject } from '@orch/machinery';
import { expect, it } from 'vitest';
import { attributesOf, pluginOf, refusalOf, TestObjects } from '../../testing/index.js';

const quota: ApiObject = {
  metadata: { namespace: 'default', name: 'q' },
  spec: { hard: { cpu: '1' } },
  status: { hard: { cpu: '1' }, used: { cpu: '0' } },
};
const object: ApiObject = { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i' }] } };

it('what a pod has to say of itself is asked of it, and not where it is only tried', async () => {
  const plugin = pluginOf('ResourceQuota', { objects: new TestObjects().put('', 'resourcequotas', quota) });
  const refused = (dryRun: boolean) => refusalOf(plugin, attributesOf({ object, options: { dryRun } }));
  expect(await refused(false)).toBe('pods "a" is forbidden: failed quota: q: must specify cpu for: c');
  expect(await refused(true)).toBeUndefined();
});

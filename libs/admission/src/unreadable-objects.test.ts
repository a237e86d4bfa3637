import type { ApiObject } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import type { Attributes } from './attributes.js';
import { attributesOf, pluginOf, TestObjects } from './testing/index.js';

const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'default' }, spec: { containers: [] } };
const CLAIM = {
  ...{ group: '', resource: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim' },
  object: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'a' }, spec: {} },
};
const INGRESS = {
  ...{ group: 'networking.k8s.io', version: 'v1', resource: 'ingresses', kind: 'Ingress' },
  object: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'a' }, spec: {} },
};
const DEFAULT_CLASS = {
  ...{ group: 'scheduling.k8s.io', version: 'v1', resource: 'priorityclasses', kind: 'PriorityClass', namespace: '' },
  object: { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'a' }, globalDefault: true },
};
const REGISTRATION = 'admissionregistration.orch.io';

/** Runs a plugin as a request does, first what may change the object. */
async function ask(name: string, objects: TestObjects, about: Partial<Attributes>): Promise<void> {
  const plugin = pluginOf(name, { objects });
  const attributes = attributesOf({ object: structuredClone(POD) as unknown as ApiObject, ...about });
  if (!plugin.handles(attributes)) return;
  await plugin.admit?.(attributes);
  await plugin.validate?.(attributes);
}

describe('what cannot be read', () => {
  it.each<[string, string, string, Partial<Attributes>]>([
    ['LimitRanger', '', 'limitranges', {}],
    ['LimitRanger', '', 'limitranges', CLAIM],
    ['ResourceQuota', '', 'resourcequotas', {}],
    ['Priority', 'scheduling.orch.io', 'priorityclasses', {}],
    ['Priority', 'scheduling.orch.io', 'priorityclasses', DEFAULT_CLASS],
    ['DefaultStorageClass', 'storage.orch.io', 'storageclasses', CLAIM],
    ['DefaultIngressClass', 'networking.orch.io', 'ingressclasses', INGRESS],
    ['ValidatingAdmissionPolicy', REGISTRATION, 'validatingadmissionpolicies', {}],
    ['ValidatingAdmissionPolicy', REGISTRATION, 'validatingadmissionpolicybindings', {}],
  ])('lets nothing past %s that it could be about: %s %s', async (plugin, group, resource, about) => {
    const objects = new TestObjects();
    await ask(plugin, objects, about);
    const lack = new Error(`unable to read ${resource}`);
    objects.setUnreadable(group, resource, lack);
    await expect(ask(plugin, objects, about)).rejects.toBe(lack);
    objects.setUnreadable(group, resource, undefined);
    await ask(plugin, objects, about);
  });

  it('keeps nobody from what names another', async () => {
    const high = { metadata: { name: 'high' }, value: 100 };
    const objects = new TestObjects().put('scheduling.orch.io', 'priorityclasses', high);
    objects.setUnreadable('scheduling.orch.io', 'priorityclasses', new Error('no'));
    await ask('Priority', objects, { object: { ...POD, spec: { priorityClassName: 'high' } } as ApiObject });
    objects.setUnreadable('storage.orch.io', 'storageclasses', new Error('no'));
    const object = { ...CLAIM.object, spec: { storageClassName: 'own' } } as ApiObject;
    await ask('DefaultStorageClass', objects, { ...CLAIM, object });
  });

  it('of policies keeps nobody from putting those right, nor the server from its own affairs', async () => {
    const objects = new TestObjects();
    objects.setUnreadable(REGISTRATION, 'validatingadmissionpolicies', new Error('no'));
    const policy = { group: 'admissionregistration.k8s.io', resource: 'validatingadmissionpolicies', namespace: '' };
    await ask('ValidatingAdmissionPolicy', objects, policy);
    await ask('ValidatingAdmissionPolicy', objects, { isInternal: true });
  });
});

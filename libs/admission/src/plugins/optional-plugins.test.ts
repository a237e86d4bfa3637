import type { Decision, RequestAttributes } from '@orch/authorization';
import { type ApiObject, forbidden } from '@orch/machinery';
import type { PersistentVolume } from '@orch/schema/types/core/v1';
import { describe, expect, it, vi } from 'vitest';
import type { Attributes } from '../attributes.js';
import type { ServedKind } from '../plugin.js';
import { attributesOf, pluginOf, refusalOf } from '../testing/asking.js';
import { TestObjects } from '../testing/known-objects.js';

describe('DenyServiceExternalIPs', () => {
  const service = (...externalIPs: string[]) => ({ metadata: { name: 's' }, spec: { externalIPs } });
  const ask = (object: ApiObject, oldObject?: ApiObject) =>
    refusalOf(
      pluginOf('DenyServiceExternalIPs'),
      attributesOf({
        ...{ resource: 'services', kind: 'Service', name: 's', object, oldObject },
        operation: oldObject ? 'UPDATE' : 'CREATE',
      }),
    );

  it('lets no address be added', async () => {
    const refused = 'services "s" is forbidden: Use of external IPs is denied by admission control';
    expect(await ask(service('1.2.3.4'))).toBe(refused);
    expect(await ask(service('1.2.3.4', '5.6.7.8'), service('1.2.3.4'))).toBe(refused);
    expect(await ask(service('1.2.3.4'), service('1.2.3.4', '5.6.7.8'))).toBeUndefined();
    expect(await ask(service())).toBeUndefined();
  });
});

describe('namespaces of what is written', () => {
  const there = () => new TestObjects().put('', 'namespaces', { metadata: { name: 'default' } });

  it('are made by NamespaceAutoProvision where there are none, but for a dry run', async () => {
    const made: unknown[] = [];
    const ownWrites = {
      create: (_: unknown, object: ApiObject) => Promise.resolve(object).finally(() => made.push(object)),
    };
    const plugin = pluginOf('NamespaceAutoProvision', { ownWrites });
    expect(await refusalOf(plugin, attributesOf({ options: { dryRun: true } }))).toBeUndefined();
    expect(made).toEqual([]);
    await refusalOf(plugin, attributesOf());
    expect(made).toEqual([{ metadata: { name: 'default' } }]);
    await refusalOf(pluginOf('NamespaceAutoProvision', { ownWrites, objects: there() }), attributesOf());
    expect(made).toHaveLength(1);
    for (const target of [{ kind: 'Namespace' }, { namespace: '' }, { operation: 'UPDATE' as const }])
      expect(plugin.handles(attributesOf(target))).toBe(false);
  });

  it('that cannot be made are refused', async () => {
    const ownWrites = {
      create: () => Promise.reject(forbidden({ group: '', resource: 'namespaces' }, 'default', 'no')),
    };
    expect(await refusalOf(pluginOf('NamespaceAutoProvision', { ownWrites }), attributesOf())).toBe(
      'pods "a" is forbidden: namespaces "default" is forbidden: no',
    );
  });

  it('have to be there for NamespaceExists', async () => {
    expect(await refusalOf(pluginOf('NamespaceExists'), attributesOf())).toBe('namespaces "default" not found');
    expect(await refusalOf(pluginOf('NamespaceExists', { objects: there() }), attributesOf())).toBeUndefined();
  });
});

describe('PersistentVolumeLabel', () => {
  const PROVISIONED = { 'pv.kubernetes.io/provisioned-by': 'x' };
  const [ZONE, REGION] = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];
  const ask = async (volume: PersistentVolume) => {
    const attributes = attributesOf({
      ...{ resource: 'persistentvolumes', kind: 'PersistentVolume', namespace: '', name: 'v' },
      object: volume as ApiObject,
    });
    return refusalOf(pluginOf('PersistentVolumeLabel'), attributes);
  };

  it('says of volumes that were provisioned where they are', async () => {
    const labels = { [ZONE]: 'b__a', [REGION]: 'r' };
    const volume: PersistentVolume = { metadata: { name: 'v', labels, annotations: PROVISIONED }, spec: {} };
    expect(await ask(volume)).toBeUndefined();
    const matchExpressions = [
      { key: ZONE, operator: 'In', values: ['a', 'b'] },
      { key: REGION, operator: 'In', values: ['r'] },
    ];
    expect(volume.spec?.nodeAffinity).toEqual({ required: { nodeSelectorTerms: [{ matchExpressions }] } });
    const same = structuredClone(volume);
    await ask(volume);
    expect(volume).toEqual(same);
    const bad = { ...volume, metadata: { ...volume.metadata, labels: { ...labels, [ZONE]: 'a__' } } };
    expect(await ask(bad)).toContain('failed to convert label string for Zone: a__ to a Set');
  });

  it.each<[PersistentVolume['spec'], string | undefined]>([
    [{ gcePersistentDisk: { pdName: 'd' } }, 'GCE PD volume d: unable to build GCE cloud provider for PD'],
    [{ azureDisk: { diskName: 'd' } }, 'AzureDisk volume d: unable to build Azure cloud provider for AzureDisk'],
    [{ vsphereVolume: { volumePath: 'd' } }, 'vSphere Volume d: unable to build vSphere cloud provider'],
    [{ gcePersistentDisk: { pdName: 'placeholder-for-provisioning' } }, undefined],
    [{ nfs: {} }, undefined],
  ])('knows no cloud for %j', async (spec, what) => {
    const refused = what && `persistentvolumes "v" is forbidden: error querying ${what}`;
    expect(await ask({ metadata: { name: 'v' }, ...(spec && { spec }) })).toBe(refused);
  });
});

describe('OwnerReferencesPermissionEnforcement', () => {
  it.each([true, false])('calls out where the authorizer may: %s', (authorizerCallsOut) => {
    const settings = { notReadyTolerationSeconds: 300, unreachableTolerationSeconds: 300, authorizerCallsOut };
    expect(pluginOf('OwnerReferencesPermissionEnforcement', { settings }).callsOut).toBe(authorizerCallsOut);
  });

  const owner = (uid: string, blockOwnerDeletion?: boolean) => ({
    ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'o', uid },
    ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
  });
  const owned = (...ownerReferences: object[]) => ({ metadata: { name: 'a', ownerReferences } }) as ApiObject;
  const REPLICA_SETS: ServedKind = { group: 'apps', version: 'v1', resource: 'replicasets', namespaced: true };

  /** Asks as somebody who may do what is listed, `verb group/resource/subresource namespace/name`. */
  async function ask(changed: Partial<Attributes>, allowed: readonly string[] = [], served = [REPLICA_SETS]) {
    const asked: string[] = [];
    const authorize = async (_: unknown, request: RequestAttributes): Promise<Decision> => {
      const { verb, group, resource, subresource, namespace, name } = request;
      const text = `${verb} ${group}/${resource}/${subresource} ${namespace}/${name}`;
      asked.push(text);
      return { decision: allowed.includes(text) ? 'allow' : 'no-opinion', reason: 'no rule' };
    };
    const plugin = pluginOf('OwnerReferencesPermissionEnforcement', { servedAs: () => served });
    const refused = await refusalOf(plugin, attributesOf({ authorizer: { authorize }, ...changed }));
    return { refused, asked };
  }
  const update = (object: ApiObject, oldObject: ApiObject) => ({ operation: 'UPDATE' as const, object, oldObject });
  const [DELETE, ANY, OWNER] = [
    'delete /pods/ default/a',
    'update */*/finalizers /*',
    'update apps/replicasets/finalizers default/o',
  ] as const;

  it('asks nobody where owners stay, nor about status of pods', async () => {
    expect(await ask(update(owned(owner('1', true)), owned(owner('1', true))))).toEqual({
      refused: undefined,
      asked: [],
    });
    const plugin = pluginOf('OwnerReferencesPermissionEnforcement');
    expect(plugin.handles(attributesOf({ subresource: 'status' }))).toBe(false);
  });

  it('lets those change owners who may delete the object; whoever makes it may give it some', async () => {
    const refused = 'pods "a" is forbidden: cannot set an ownerRef on a resource you can\'t delete: no rule, <nil>';
    expect(await ask(update(owned(owner('1')), owned()))).toEqual({ refused, asked: [DELETE] });
    expect((await ask(update(owned(), owned(owner('1'))), [DELETE])).refused).toBeUndefined();
    expect(await ask({ object: owned(owner('1')) })).toEqual({ refused: undefined, asked: [] });
  });

  it('lets those hold up an owner who may set its finalizers', async () => {
    const object = owned(owner('1', true));
    const refused =
      'pods "a" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can\'t set finalizers on: no rule, <nil>';
    expect(await ask({ object })).toEqual({ refused, asked: [ANY, OWNER] });
    expect((await ask({ object }, [OWNER])).refused).toBeUndefined();
    expect((await ask({ object }, [ANY])).asked).toEqual([ANY]);
    expect((await ask(update(object, owned(owner('1', false))), [DELETE])).refused).toBe(refused);
  });

  it('lets others have their turn between very many owners', async () => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1));
    let [turns, isOver] = [0, false];
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const object = owned(...Array.from({ length: 100 }, (_, at) => owner(String(at), true)));
    expect((await ask({ object }, [OWNER])).asked).toHaveLength(101);
    isOver = true;
    clock.mockRestore();
    expect(turns).toBeGreaterThan(20);
  });

  it('asks about every resource of the owner’s kind, and refuses kinds that nobody knows', async () => {
    const object = owned(owner('1', true));
    const other = { ...REPLICA_SETS, resource: 'sets', namespaced: false };
    expect((await ask({ object }, [OWNER], [REPLICA_SETS, other])).asked).toEqual([
      ANY,
      OWNER,
      'update apps/sets/finalizers /o',
    ]);
    expect((await ask({ object }, [], [])).refused).toBe(
      'pods "a" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion apps/v1 Kind ReplicaSet: no matches for kind "ReplicaSet" in version "apps/v1"',
    );
  });
});

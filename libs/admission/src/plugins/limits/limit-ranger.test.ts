import type { ApiObject } from '@orch/machinery';
import type { LimitRangeItem, Pod } from '@orch/schema/types/core/v1';
import { describe, expect, it } from 'vitest';
import { attributesOf, pluginOf, refusalOf, TestObjects, targetOf } from '../../testing/index.js';

type Resources = { requests?: Record<string, string>; limits?: Record<string, string> };

const range = (name: string, ...limits: LimitRangeItem[]) => ({
  metadata: { namespace: 'default', name },
  spec: { limits },
});
const pluginWith = (...ranges: ApiObject[]) =>
  pluginOf('LimitRanger', { objects: new TestObjects().put('', 'limitranges', ...ranges) });
const podOf = (containers: readonly Resources[], initContainers: readonly Resources[] = []) => ({
  metadata: { name: 'a' },
  spec: {
    containers: containers.map((resources, at) => ({ name: `c${at}`, resources })),
    ...(initContainers.length > 0 && {
      initContainers: initContainers.map((resources, at) => ({ name: `i${at}`, resources })),
    }),
  },
});

/** Why a pod is refused; undefined where it is not. */
const pod = (item: LimitRangeItem, containers: readonly Resources[], initContainers?: readonly Resources[]) =>
  refusalOf(pluginWith(range('r', item)), attributesOf({ object: podOf(containers, initContainers) }));
const FORBIDDEN = 'pods "a" is forbidden:';

describe('containers', () => {
  const DEFAULTS = range('r', {
    type: 'Container',
    default: { memory: '1Gi', cpu: '1' },
    defaultRequest: { cpu: '500m', memory: '512Mi' },
  });

  it('get what they do not say, and the pod says so', async () => {
    const object: ApiObject & Pod = podOf([{ requests: { cpu: '1' } }, {}], [{ limits: { cpu: '2', memory: '1' } }]);
    await pluginWith(DEFAULTS).admit?.(attributesOf({ object }));
    expect(object.spec?.containers?.map(({ resources }) => resources)).toEqual([
      { requests: { cpu: '1', memory: '512Mi' }, limits: { memory: '1Gi', cpu: '1' } },
      { requests: { cpu: '500m', memory: '512Mi' }, limits: { memory: '1Gi', cpu: '1' } },
    ]);
    expect(object.spec?.initContainers?.[0]?.resources).toEqual({
      requests: { cpu: '500m', memory: '512Mi' },
      limits: { cpu: '2', memory: '1' },
    });
    expect(object.metadata?.annotations).toEqual({
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: memory request for container c0; cpu, memory limit for container c0; cpu, memory request for container c1; cpu, memory limit for container c1; cpu, memory request for init container i0',
    });
  });

  it('stay as they are where nothing is to be set', async () => {
    const object = podOf([{}]);
    await pluginWith(range('r', { type: 'Pod', max: { cpu: '1' } })).admit?.(attributesOf({ object }));
    expect(object).toEqual(podOf([{}]));
  });

  it.each<[LimitRangeItem, Resources, string | undefined]>([
    [{ min: { cpu: '1' } }, { requests: { cpu: '1000m' } }, undefined],
    [{ min: { cpu: '1' } }, {}, 'minimum cpu usage per Container is 1.  No request is specified'],
    [{ min: { cpu: '1' } }, { requests: { cpu: '999m' } }, 'minimum cpu usage per Container is 1, but request is 999m'],
    [
      { min: { memory: '1Gi' } },
      { requests: { memory: '1Gi' }, limits: { memory: '1Mi' } },
      'minimum memory usage per Container is 1Gi, but limit is 1Mi',
    ],
    [{ max: { cpu: '1' } }, { requests: { cpu: '1' } }, 'maximum cpu usage per Container is 1.  No limit is specified'],
    [{ max: { cpu: '1' } }, { limits: { cpu: '1001m' } }, 'maximum cpu usage per Container is 1, but limit is 1001m'],
    [
      { max: { cpu: '1' } },
      { limits: { cpu: '1' }, requests: { cpu: '2' } },
      'maximum cpu usage per Container is 1, but request is 2',
    ],
    [{ max: { memory: '9E' } }, { limits: { memory: '8E' } }, undefined],
    [
      { maxLimitRequestRatio: { cpu: '2' } },
      { limits: { cpu: '2' } },
      'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
    ],
    [
      { maxLimitRequestRatio: { cpu: '2' } },
      { requests: { cpu: '1' } },
      'cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0',
    ],
    [
      { maxLimitRequestRatio: { cpu: '2' } },
      { requests: { cpu: '1' }, limits: { cpu: '2500m' } },
      'cpu max limit to request ratio per Container is 2, but provided ratio is 2.500000',
    ],
    [{ maxLimitRequestRatio: { cpu: '2500m' } }, { requests: { cpu: '1' }, limits: { cpu: '2500m' } }, undefined],
  ])('%j: %j is refused: %s', async (item, resources, why) => {
    const refused = why && `${FORBIDDEN} ${why}`;
    expect(await pod({ type: 'Container', ...item }, [resources])).toBe(refused);
    expect(await pod({ type: 'Container', ...item }, [], [resources])).toBe(refused);
  });

  it('are told of all that is wrong, once each', async () => {
    const item = { type: 'Container', min: { cpu: '1' }, max: { cpu: '1' } };
    expect(await pod(item, [{}, {}])).toBe(
      `${FORBIDDEN} [minimum cpu usage per Container is 1.  No request is specified, maximum cpu usage per Container is 1.  No limit is specified]`,
    );
  });
});

describe('pods', () => {
  it.each<[Resources[], Resources[], string | undefined]>([
    [[{ limits: { cpu: '600m' } }, { limits: { cpu: '400m' } }], [], undefined],
    [
      [{ limits: { cpu: '600m' } }, { limits: { cpu: '401m' } }],
      [],
      'maximum cpu usage per Pod is 1, but limit is 1001m',
    ],
    // What one of them does not say is nothing together.
    [[{ limits: { cpu: '600m' } }, {}], [], 'maximum cpu usage per Pod is 1.  No limit is specified'],
    [[{ limits: { cpu: '600m' } }], [{ limits: { cpu: '2' } }], 'maximum cpu usage per Pod is 1, but limit is 2'],
    [[{ limits: { cpu: '600m' } }], [{ limits: { cpu: '1' } }], undefined],
    [[{}], [{ limits: { cpu: '1' } }], undefined],
  ])('of %j behind %j: %s', async (containers, before, why) => {
    expect(await pod({ type: 'Pod', max: { cpu: '1' } }, containers, before)).toBe(why && `${FORBIDDEN} ${why}`);
  });

  it('are not looked at again, nor their other forms', () => {
    const plugin = pluginWith();
    expect(plugin.handles(targetOf({ operation: 'DELETE' }))).toBe(false);
    expect(plugin.handles(targetOf({ subresource: 'eviction' }))).toBe(false);
  });

  it('of other namespaces are free', async () => {
    const plugin = pluginWith(range('r', { type: 'Container', min: { cpu: '1' } }));
    expect(await refusalOf(plugin, attributesOf({ namespace: 'other', object: podOf([{}]) }))).toBeUndefined();
  });
});

describe('claims', () => {
  const claim = (storage?: string, oldObject?: ApiObject) => {
    const item = { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } };
    const object = { spec: { resources: { requests: storage === undefined ? {} : { storage } } } };
    const operation = oldObject ? 'UPDATE' : 'CREATE';
    const target = { resource: 'persistentvolumeclaims', operation, object, oldObject } as const;
    return refusalOf(pluginWith(range('r', item)), attributesOf(target));
  };
  const REFUSED = 'persistentvolumeclaims "a" is forbidden:';

  it.each([
    ['1Gi', undefined],
    ['2Gi', undefined],
    ['1Mi', 'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi'],
    ['3Gi', 'maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi'],
  ])('of %s: %s', async (storage, why) => {
    expect(await claim(storage)).toBe(why && `${REFUSED} ${why}`);
    expect(await claim(storage, { metadata: {} })).toBe(why && `${REFUSED} ${why}`);
  });

  it('may be let go of whatever they ask for', async () => {
    expect(await claim('3Gi', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })).toBeUndefined();
  });
});

describe('pods that are there', () => {
  const old = podOf([{ requests: { cpu: '3' } }]);
  const target = { operation: 'UPDATE', resource: 'pods' } as const;
  const objects = new TestObjects().put('', 'limitranges', range('r', { type: 'Container', max: { cpu: '2' } }));
  const update = (cpu: string) => podOf([{ requests: { cpu }, limits: { cpu } }]);

  it('keep within limits when they are resized, where they may be', async () => {
    const plugin = pluginOf('LimitRanger', { objects });
    expect(plugin.handles(targetOf(target))).toBe(true);
    const asked = (object: ApiObject) => refusalOf(plugin, attributesOf({ ...target, object, oldObject: old }));
    expect(await asked({ ...old, metadata: { name: 'a', labels: { a: 'b' } } })).toBeUndefined();
    expect(await asked(update('2'))).toBeUndefined();
    expect(await asked(update('9'))).toBe(`${FORBIDDEN} maximum cpu usage per Container is 2, but limit is 9`);
  });

  it('are not looked at where they may not', () => {
    const plugin = pluginOf('LimitRanger', { objects, isEnabled: () => false });
    expect(plugin.handles(targetOf(target))).toBe(false);
  });
});

import { expect, test } from 'vitest';
import {
  configMap,
  configMaps,
  conformanceWithoutNames,
  createAll,
  expectRefusal,
  expectStatus,
  farAhead,
  list,
  namesIn,
} from './conformance.js';

/** The cells of the table under "Resource version semantics" that are refused. `N` stands for a version that exists. */
const INVALID = [
  ['resourceVersionMatch=Exact', 'Exact needs a version'],
  ['resourceVersionMatch=NotOlderThan', 'NotOlderThan needs a version'],
  ['resourceVersionMatch=Exact&resourceVersion=0', 'Exact and any version contradict each other'],
  ['resourceVersionMatch=Exact&limit=1', 'Exact needs a version when paging'],
  ['resourceVersionMatch=NotOlderThan&limit=1', 'NotOlderThan needs a version when paging'],
  ['resourceVersionMatch=Exact&resourceVersion=0&limit=1', 'Exact and any version when paging'],
  ['resourceVersionMatch=Newest&resourceVersion=N', 'an unknown match'],
] as const;

/** The cells that are served, each with what the collection's version must then be. */
const SERVED = [
  ['', 'newest'],
  ['resourceVersion=0', 'any'],
  ['resourceVersion=N', 'not older'],
  ['limit=10', 'newest'],
  ['resourceVersion=0&limit=10', 'any'],
  ['resourceVersion=N&limit=10', 'exact'],
  ['resourceVersionMatch=Exact&resourceVersion=N', 'exact'],
  ['resourceVersionMatch=Exact&resourceVersion=N&limit=10', 'exact'],
  ['resourceVersionMatch=NotOlderThan&resourceVersion=0', 'any'],
  ['resourceVersionMatch=NotOlderThan&resourceVersion=N', 'not older'],
  ['resourceVersionMatch=NotOlderThan&resourceVersion=0&limit=10', 'any'],
  ['resourceVersionMatch=NotOlderThan&resourceVersion=N&limit=10', 'not older'],
] as const;

conformanceWithoutNames(
  'Lists: resource version × match × paging [Resource version semantics]',
  ({ api, namespace }) => {
    test.each(SERVED)('%s reads %s', async (query, meaning) => {
      const ns = await namespace();
      const [, second] = await createAll(api, ns, ['a', 'b']);
      const at = second?.metadata.resourceVersion ?? '';
      expectStatus(await api.delete(`${configMaps(ns)}/a`), 200);
      await createAll(api, ns, ['c']);
      const found = await list(api, `${configMaps(ns)}?${query.replace(/=N(?=&|$)/, `=${at}`)}`);
      if (meaning === 'exact') {
        expect(found.metadata.resourceVersion).toBe(at);
        expect(namesIn(found)).toEqual(['a', 'b']);
      } else if (meaning === 'any') {
        expect(['a', 'b', 'c']).toEqual(expect.arrayContaining(namesIn(found)));
      } else {
        expect(BigInt(found.metadata.resourceVersion) >= BigInt(at)).toBe(true);
        if (meaning === 'newest') expect(namesIn(found)).toEqual(['b', 'c']);
        else expect(namesIn(found)).toContain('b');
      }
    });

    test.each(INVALID)('%s is refused: %s', async (query) => {
      const ns = await namespace();
      const { metadata } = await list(api, configMaps(ns));
      const answer = await api.get(`${configMaps(ns)}?${query.replace(/=N(?=&|$)/, `=${metadata.resourceVersion}`)}`);
      expectRefusal(answer, 422, 'Invalid');
    });

    test.each(['', '&resourceVersionMatch=NotOlderThan', '&resourceVersionMatch=Exact', '&limit=1'])(
      'a version that the server does not know yet is a timeout with the cause ResourceVersionTooLarge (%s)',
      async (more) => {
        const ns = await namespace();
        const { metadata } = await list(api, configMaps(ns));
        const answer = await api.get(`${configMaps(ns)}?resourceVersion=${farAhead(metadata.resourceVersion)}${more}`);
        const status = expectRefusal(answer, 504, 'Timeout');
        expect(status.message).toMatch(/Too large resource version/);
        expect(status.details?.causes).toContainEqual(expect.objectContaining({ reason: 'ResourceVersionTooLarge' }));
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      },
    );

    test.each(['abc', '-1', '1.5', '0x10', '99999999999999999999999'])(
      'resourceVersion=%s is no version',
      async (version) => {
        const ns = await namespace();
        expectRefusal(await api.get(`${configMaps(ns)}?resourceVersion=${version}`), 400, 'BadRequest');
      },
    );

    test('a list at an unset version shows every write that was answered before', async () => {
      const ns = await namespace();
      for (let index = 0; index < 20; index++) {
        await createAll(api, ns, [`o-${index}`]);
        expect(namesIn(await list(api, configMaps(ns)))).toHaveLength(index + 1);
      }
    });

    test('items come in the order of their names, across namespaces in that of namespaces first', async () => {
      const [first, second] = [await namespace(), await namespace()].sort();
      await createAll(api, second ?? '', ['b', 'a']);
      await createAll(api, first ?? '', ['d', 'c', 'a.b', 'a-b']);
      const all = await list(api, '/api/v1/configmaps');
      const keys = all.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
      const ours = keys.filter((key) => key.startsWith(`${first}/`) || key.startsWith(`${second}/`));
      expect(ours).toEqual([`${first}/a-b`, `${first}/a.b`, `${first}/c`, `${first}/d`, `${second}/a`, `${second}/b`]);
    });

    test('the collection is a KindList of its group version, and its version is a string', async () => {
      const found = await list(api, configMaps(await namespace()));
      expect(found).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1', items: [] });
      expect(found.metadata.resourceVersion).toMatch(/^\d+$/);
      expect(found.metadata.continue ?? '').toBe('');
      const deployments = await list(api, '/apis/apps/v1/deployments');
      expect(deployments).toMatchObject({ kind: 'DeploymentList', apiVersion: 'apps/v1' });
    });
  },
);

conformanceWithoutNames('Lists: selectors [Query parameters]', ({ api, namespace }) => {
  const OBJECTS = [
    ['a', { app: 'web', tier: 'front' }],
    ['b', { app: 'web', tier: 'back' }],
    ['c', { app: 'db' }],
    ['d', undefined],
  ] as const;

  test.each([
    ['labelSelector=app=web', ['a', 'b']],
    ['labelSelector=app%3D%3Dweb,tier%3Dback', ['b']],
    ['labelSelector=app!=web', ['c', 'd']],
    ['labelSelector=app', ['a', 'b', 'c']],
    ['labelSelector=!app', ['d']],
    ['labelSelector=app+in+(web,db)', ['a', 'b', 'c']],
    ['labelSelector=app+notin+(db)', ['a', 'b', 'd']],
    ['labelSelector=', ['a', 'b', 'c', 'd']],
    ['fieldSelector=metadata.name=b', ['b']],
    ['fieldSelector=metadata.name!=b', ['a', 'c', 'd']],
    ['fieldSelector=metadata.name=b&labelSelector=app=db', []],
  ])('%s finds %j', async (query, expected) => {
    const ns = await namespace();
    for (const [name, labels] of OBJECTS) {
      expectStatus(await api.post(configMaps(ns), configMap(name, labels ? { labels } : {})), 201);
    }
    expect(namesIn(await list(api, `${configMaps(ns)}?${query}`))).toEqual(expected);
  });

  test.each([
    'labelSelector=app+in',
    'labelSelector=app%3D%3D%3Dx',
    'labelSelector=(',
    'labelSelector=a=b,,',
    'labelSelector=-bad-=x',
    'fieldSelector=metadata.name',
    'fieldSelector=data.a=1',
    'fieldSelector=spec.nosuch=1',
  ])('%s is refused', async (query) => {
    expectRefusal(await api.get(`${configMaps(await namespace())}?${query}`), 400, 'BadRequest');
  });

  test('pods are selected by the node that they are on and by phase', async () => {
    const ns = await namespace();
    const pod = (name: string, nodeName?: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { ...(nodeName && { nodeName }), containers: [{ name: 'c', image: 'i' }] },
    });
    for (const object of [pod('a', 'n1'), pod('b', 'n2'), pod('c')]) {
      expectStatus(await api.post(`/api/v1/namespaces/${ns}/pods`, object), 201);
    }
    expect(namesIn(await list(api, `/api/v1/namespaces/${ns}/pods?fieldSelector=spec.nodeName=n1`))).toEqual(['a']);
    expect(namesIn(await list(api, `/api/v1/namespaces/${ns}/pods?fieldSelector=spec.nodeName=`))).toEqual(['c']);
    const pending = await list(api, `/api/v1/namespaces/${ns}/pods?fieldSelector=status.phase=Pending`);
    expect(namesIn(pending)).toEqual(['a', 'b', 'c']);
  });
});

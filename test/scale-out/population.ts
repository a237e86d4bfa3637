import { expect } from 'vitest';
import { waitUntil } from '../../tools/up/index.js';
import type { Api } from '../support/api.js';
import { list, Reflector } from './reflector.js';

export const collectionOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

/** Makes namespaces with so many ConfigMaps each; returns the paths of the collections and of all objects. */
export async function populate(api: Api, namespaces: number, objects: number) {
  const collections: string[] = [];
  const paths: string[] = [];
  for (let at = 0; at < namespaces; at++) {
    const namespace = `crowd-${at}`;
    const made = await api.post('/api/v1/namespaces', { metadata: { name: namespace } });
    expect(made.status, made.text).toBe(201);
    collections.push(collectionOf(namespace));
    for (let index = 0; index < objects; index++) {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `object-${index}` }, data: { value: '' } };
      expect((await api.post(collectionOf(namespace), body)).status).toBe(201);
      paths.push(`${collectionOf(namespace)}/object-${index}`);
    }
  }
  return { collections, paths };
}

/** Opens watches of the collections in turn, a few at a time, each from one list that all of its collection share. */
export async function openReflectors(api: Api, collections: readonly string[], count: number): Promise<Reflector[]> {
  const lists = await Promise.all(collections.map((path) => list(api, path)));
  const reflectors: Reflector[] = [];
  const AT_ONCE = 50;
  for (let at = 0; at < count; at += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, index) => {
      const which = (at + index) % collections.length;
      const [path, listed] = [collections[which], lists[which]];
      if (path === undefined || listed === undefined) throw new Error('no collection');
      return new Reflector(api, path, listed);
    });
    reflectors.push(...some);
    await waitUntil('the watches are open', 60_000, () => some.every(({ counts }) => counts.streams > 0));
  }
  return reflectors;
}

/** Waits until every reflector holds what a list says, then checks that none saw what it must not. */
export async function expectCaughtUp(api: Api, collections: readonly string[], reflectors: readonly Reflector[]) {
  const lists = await Promise.all(collections.map((path) => list(api, path)));
  const same = (reflector: Reflector, index: number) => {
    const { objects } = lists[index % collections.length] ?? { objects: new Map<string, string>() };
    return objects.size === reflector.objects.size && [...objects].every(([k, v]) => reflector.objects.get(k) === v);
  };
  await waitUntil('every watch has seen everything', 30_000, () => reflectors.every(same));
  expect(reflectors.flatMap(({ violations }) => violations)).toEqual([]);
}

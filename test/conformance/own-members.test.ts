import { expect, test } from 'vitest';
import type { ApiObject } from '../support/api.js';
import { configMap, configMaps, conformance, expectStatus } from './conformance.js';

/** Names that every object of the language has a member of, whether somebody gave it one or not. */
const INHERITED = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__', '__defineGetter__'] as const;
/** Names of inherited members that are valid keys of labels and data, which begin and end in letters. */
const KEYS = ['constructor', 'toString', 'valueOf', 'hasOwnProperty'] as const;

conformance('Names that objects inherit are names like others [Errors]', ({ api, names, namespace }) => {
  test('no path finds what is not served', async () => {
    const ns = await namespace();
    for (const name of INHERITED) {
      for (const path of [
        `/${name}`,
        `/api/${name}`,
        `/apis/${name}`,
        `/apis/${name}/v1`,
        `/apis/apps/${name}`,
        `/api/v1/${name}`,
        `/api/v1/${name}/a`,
        `/apis/apps/v1/${name}`,
        `/api/v1/namespaces/${ns}/${name}`,
        `/api/v1/namespaces/${ns}/${name}/a`,
        `/api/v1/namespaces/${ns}/configmaps/${name}`,
        `/api/v1/namespaces/${ns}/pods/a/${name}`,
        `/openapi/v3/${name}`,
        `/openapi/v3/apis/${name}/v1`,
        `/readyz/${name}`,
        `/livez/${name}`,
      ]) {
        const answer = await api.get(path);
        expect.soft(answer.status, `${path}: ${answer.text.slice(0, 200)}`).toBe(404);
      }
    }
  });

  test('no selector, parameter or option means what it only inherits', async () => {
    const ns = await namespace();
    expectStatus(await api.post(configMaps(ns), configMap('a')), 201);
    for (const name of INHERITED) {
      const label = await api.get(`${configMaps(ns)}?labelSelector=${name}`);
      if (name.startsWith('__')) expect.soft(label.status, name).toBe(400);
      else expect.soft(label.json<{ items: unknown[] }>().items, name).toEqual([]);
      expect.soft((await api.get(`${configMaps(ns)}?fieldSelector=${name}%3Da`)).status, name).toBe(400);
      expect.soft((await api.get(`${configMaps(ns)}?${name}=a`)).status, name).toBe(200);
      for (const query of ['fieldValidation', 'dryRun', 'propagationPolicy']) {
        const method = query === 'propagationPolicy' ? 'DELETE' : 'PATCH';
        const headers = { 'content-type': 'application/merge-patch+json' };
        const path = `${configMaps(ns)}/a?${query}=${name}`;
        const answer = await api.request(method, path, method === 'PATCH' ? { body: {}, headers } : {});
        expect.soft(answer.status, `${query}=${name} ${answer.text}`).toBe(422);
      }
      const accept = await api.get(`${configMaps(ns)}/a`, {
        accept: `application/json;as=${name};g=${name};v=${name}`,
      });
      expect.soft(accept.status, name).toBe(406);
      const type = await api.request('POST', configMaps(ns), { body: '{}', headers: { 'content-type': name } });
      expect.soft(type.status, name).toBe(415);
      const kind = await api.post(configMaps(ns), { apiVersion: 'v1', kind: name, metadata: { name: 'x' } });
      expect.soft(kind.status, name).toBe(400);
    }
  });

  test('strict reading tells unknown fields of these names, and repeated ones', async () => {
    const ns = await namespace();
    for (const name of INHERITED) {
      const body = `{"metadata":{"name":"x","${name}":1},"${name}":{},"${name}":{}}`;
      const answer = await api.request('POST', `${configMaps(ns)}?fieldValidation=Strict`, { body });
      expect.soft(answer.status, name).toBe(400);
      expect.soft(answer.text, name).toContain(`unknown field \\"${name}\\"`);
      expect.soft(answer.text, name).toContain(`unknown field \\"metadata.${name}\\"`);
    }
  });

  test('they can be keys of labels, annotations and data, in every encoding and by every patch', async () => {
    const ns = await namespace();
    const own = Object.fromEntries(KEYS.map((name) => [name, `is ${name}`]));
    // Written as text: in a literal of the language it would set the prototype.
    const data = JSON.stringify(own).replace('{', '{"__proto__":"of its own",');
    const labels = Object.fromEntries(KEYS.map((name) => [name, name]));
    const body = `{"metadata":{"name":"a","labels":${JSON.stringify(labels)},"annotations":${JSON.stringify(labels)}},"data":${data}}`;
    const path = `${configMaps(ns)}/a`;
    const created = expectStatus(await api.request('POST', configMaps(ns), { body }), 201);
    expect(dataOf(created.text)).toEqual(dataOf(body));
    for (const media of ['application/json', 'application/yaml', names.protobufMediaType]) {
      const read = expectStatus(await api.get(path, { accept: media }), 200);
      const headers = { 'content-type': media, accept: 'application/json' };
      const written = expectStatus(await api.request('PUT', path, { body: read.body, headers }), 200);
      expect.soft(dataOf(written.text), media).toEqual(dataOf(body));
      expect.soft(written.json<ApiObject>().metadata.labels, media).toEqual(labels);
    }
    for (const name of [...KEYS, '__proto__']) {
      for (const type of ['merge', 'strategic-merge', 'json'] as const) {
        const change = (value: string | null) =>
          type === 'json'
            ? `[{"op":"${value === null ? 'remove' : 'add'}","path":"/data/${name}"${value === null ? '' : `,"value":"${value}"`}}]`
            : `{"data":{"${name}":${JSON.stringify(value)}}}`;
        const set = expectStatus(await api.patch(path, type, change('changed')), 200);
        expect.soft(dataOf(set.text)[name], `${type} ${name}`).toEqual([name, 'changed']);
        const removed = expectStatus(await api.patch(path, type, change(null)), 200);
        expect.soft(dataOf(removed.text)[name], `${type} ${name}`).toBeUndefined();
        expect.soft((await api.patch(path, type, change(null))).status).toBe(type === 'json' ? 422 : 200);
        expectStatus(await api.patch(path, type, change('again')), 200);
      }
    }
  });

  test('an object that has none of them gives none', async () => {
    const ns = await namespace();
    expectStatus(await api.post(configMaps(ns), configMap('a')), 201);
    for (const name of INHERITED) {
      for (const at of ['data', 'metadata', 'metadata/labels']) {
        const answer = await api.patch(`${configMaps(ns)}/a`, 'json', [{ op: 'remove', path: `/${at}/${name}` }]);
        expect.soft(answer.status, `${at}/${name}`).toBe(422);
      }
    }
  });
});

/** Names and values of `data`, by name; entries, as a member `__proto__` is easily lost. */
function dataOf(text: string): Record<string, readonly [string, unknown]> {
  const { data } = JSON.parse(text) as { data: object };
  const found: Record<string, readonly [string, unknown]> = Object.create(null);
  for (const entry of Object.entries(data)) found[entry[0]] = entry;
  return found;
}

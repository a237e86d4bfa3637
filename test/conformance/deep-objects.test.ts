import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../support/api.js';
import { conformance, expectStatus } from './conformance.js';

/** Levels that an object may have, and those of its spec. */
const DEEPEST = 1_000;
const NESTED = DEEPEST - 1;
const PAIRS = (NESTED - 1) / 2;

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

/** The text of a spec; what is so deep is compared as text. */
const SHAPES: Record<string, { text(leaf: number): string; readonly path: string }> = {
  maps: {
    text: (leaf) => `${'{"a":'.repeat(NESTED)}${leaf}${'}'.repeat(NESTED)}`,
    path: '/a'.repeat(NESTED),
  },
  'maps with other members': {
    text: (leaf) => `${'{"b":1,"c":2,"a":'.repeat(NESTED)}${leaf}${'}'.repeat(NESTED)}`,
    path: '/a'.repeat(NESTED),
  },
  'maps around very many members': {
    text(leaf) {
      const members = Array.from({ length: 1_100 }, (_, at) => `"k${at}":1,`).join('');
      return `${'{"a":'.repeat(NESTED - 1)}{${members}"a":${leaf}}${'}'.repeat(NESTED - 1)}`;
    },
    path: '/a'.repeat(NESTED),
  },
  lists: {
    text: (leaf) => `{"a":${'['.repeat(NESTED - 1)}${leaf}${']'.repeat(NESTED - 1)}}`,
    path: `/a${'/0'.repeat(NESTED - 1)}`,
  },
  'maps and lists': {
    text: (leaf) => `{"a":${'{"a":[1,'.repeat(PAIRS)}${leaf}${']}'.repeat(PAIRS)}}`,
    path: `/a${'/a/1'.repeat(PAIRS)}`,
  },
};

conformance('objects of as many levels as there may be', ({ api, names, namespace }) => {
  const group = `d${randomBytes(4).toString('hex')}.example.test`;
  const table = { accept: `application/json;as=Table;g=${names.metaGroup};v=v1` };
  let base: string;

  test('are of a kind of their own', async () => {
    const definitions = `/apis/${names.group('apiextensions.orch.io')}/v1/customresourcedefinitions`;
    const spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const made = await api.post(definitions, {
      apiVersion: `${names.group('apiextensions.orch.io')}/v1`,
      kind: 'CustomResourceDefinition',
      metadata: { name: `deeps.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'deeps', singular: 'deep', kind: 'Deep', listKind: 'DeepList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
            additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec..none' }],
          },
        ],
      },
    });
    expectStatus(made, 201);
    base = `/apis/${group}/v1/namespaces/${await namespace()}/deeps`;
    await expect.poll(async () => (await api.get(base)).status, { timeout: 15_000 }).toBe(200);
  });

  describe.each(Object.entries(SHAPES))('%s', (shape, { text, path }) => {
    const name = `x${Object.keys(SHAPES).indexOf(shape)}`;
    const at = () => `${base}/${name}`;
    const object = (spec: string, metadata = '') =>
      `{"apiVersion":"${group}/v1","kind":"Deep","metadata":{"name":"${name}"${metadata}},"spec":${spec}}`;
    const send = (method: string, path: string, type: string, body: string): Promise<Answer> =>
      api.request(method, path, { body, headers: { 'content-type': type } });
    const patch = (type: string, body: string, query = '') => send('PATCH', `${at()}${query}`, type, body);
    const expectLeaf = (answer: Answer, leaf: number) =>
      expect(expectStatus(answer, 200).text.includes(text(leaf))).toBe(true);

    test('are created, read, changed by every verb, and deleted', async () => {
      expectStatus(await send('POST', base, 'application/json', object(text(1))), 201);
      const sent = expectStatus(await api.get(at()), 200);
      // What was read is sent back, with the owners of all of its fields.
      expectLeaf(await send('PUT', at(), 'application/json', sent.text.replace(text(1), text(2))), 2);
      const replace = `[{"op":"replace","path":"/spec${path}","value":3}]`;
      expectLeaf(await patch(JSON_PATCH, replace, '?fieldManager=json'), 3);
      expectLeaf(await patch(MERGE_PATCH, `{"spec":${text(4)}}`, '?fieldManager=merge'), 4);
      expectLeaf(await patch(APPLY, object(text(5)), '?fieldManager=one&force=true'), 5);
      expectStatus(await patch(APPLY, object(text(6)), '?fieldManager=two'), 409);
      expectLeaf(await patch(APPLY, object(text(6)), '?fieldManager=two&force=true'), 6);
      expectLeaf(await patch(APPLY, object(text(6)), '?fieldManager=two'), 6);
      expectStatus(await patch(APPLY, object('{}'), '?fieldManager=two&force=true'), 200);
      expectStatus(await patch(APPLY, object('{}'), '?fieldManager=one&force=true'), 200);
      expectLeaf(await patch(MERGE_PATCH, `{"spec":${text(7)}}`, '?fieldManager=merge'), 7);
      expectLeaf(await patch(MERGE_PATCH, '{"metadata":{"managedFields":[{}]}}'), 7);
      expectLeaf(await patch(APPLY, object(text(8)), '?fieldManager=one&force=true'), 8);
      expectStatus(await api.request('DELETE', at()), 200);
    });

    test('are shown in lists, tables, YAML and watches', async () => {
      expectStatus(await send('POST', base, 'application/yaml', object(text(1))), 201);
      expectLeaf(await api.get(base), 1);
      expectLeaf(await api.get(`${base}?includeObject=Object`, table), 1);
      expectLeaf(await api.get(`${base}?watch=true&timeoutSeconds=1`), 1);
      for (const query of ['', '?pretty=true']) expectStatus(await api.get(`${at()}${query}`, table), 200);
      expectStatus(await api.get(at(), { accept: 'application/yaml' }), 200);
      expectStatus(await api.request('DELETE', base), 200);
    });

    test('are not made deeper', async () => {
      const deeper = object(`{"a":${text(1)}}`);
      expectStatus(await send('POST', base, 'application/json', deeper), 400);
    });
  });
});

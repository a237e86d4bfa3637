import type { IncomingMessage } from 'node:http';
import { namesOf } from '@orch/machinery';
import { startExtension, type TestExtension } from '@orch/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ExtensionOpenApi, readOpenApi, readResources } from './extension-documents.js';

const names = namesOf('kubernetes');
const VERSIONS = [{ group: 'example.com', version: 'v1' }];
const kind = { group: 'example.com', version: 'v1', kind: 'Thing' };

let extension: TestExtension;
let problems: unknown[];
let asked: IncomingMessage[];
beforeAll(async () => {
  extension = await startExtension();
});
afterAll(() => extension.stop());
beforeEach(() => {
  problems = [];
  asked = [];
});

async function read(before?: ExtensionOpenApi, maxBytes = 10_000, versions = VERSIONS) {
  const options = { names, maxBytes, onProblem: (_name: string, one: unknown) => problems.push(one) };
  const resources = await readResources(extension.target, versions, options);
  return { resources, ...(await readOpenApi(extension.target, versions, options, before)) };
}

/** Answers with these by path, what is not among them with 404. */
function tells(documents: Readonly<Record<string, unknown>>, headers: Readonly<Record<string, string>> = {}): void {
  extension.answer = (req, res) => {
    asked.push(req);
    const document = documents[req.url ?? ''];
    res.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json', ...headers });
    res.end(typeof document === 'string' ? document : JSON.stringify(document));
  };
}

const LIST = {
  groupVersion: 'example.com/v1',
  resources: [
    { name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['get'], shortNames: ['th'] },
    { name: 'things/scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: ['get', 7] },
    { name: 'gone/status', kind: 'Gone', verbs: ['get'] },
  ],
};

describe('what another server tells', () => {
  it('is asked for as the aggregator', async () => {
    tells({ '/apis/example.com/v1': LIST });
    await read();
    expect(asked[0]?.headers).toMatchObject({ 'x-remote-user': 'system:kube-aggregator', host: 'api.default.svc' });
  });

  it('is the list of its group-version where it knows of no other form', async () => {
    tells({ '/apis/example.com/v1': LIST });
    expect((await read()).resources.get('example.com/v1')).toEqual([
      {
        ...{ resource: 'things', responseKind: kind, scope: 'Namespaced', singularResource: 'thing' },
        ...{ verbs: ['get'], shortNames: ['th'] },
        subresources: [
          {
            subresource: 'scale',
            responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
            verbs: ['get'],
          },
        ],
      },
    ]);
  });

  it('is read from aggregated discovery, as far as it is of its form', async () => {
    const resources = [{ resource: 'things', scope: 'Namespaced', verbs: 'get', responseKind: null, more: 1 }, 5];
    const items = [{ metadata: { name: 'example.com' }, versions: [{ version: 'v1', resources }] }, null];
    const type = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';
    tells({ '/apis': { items } }, { 'content-type': type });
    expect((await read()).resources.get('example.com/v1')).toEqual([
      {
        ...{ resource: 'things', scope: 'Namespaced', singularResource: '', verbs: [] },
        responseKind: { group: '', version: '', kind: '' },
      },
    ]);
  });

  it.each([
    ['it does not know its group-version', {}],
    ['it tells no list', { '/apis/example.com/v1': [] }],
    ['it tells no JSON', { '/apis/example.com/v1': '{' }],
    ['it tells too much', { '/apis/example.com/v1': `"${'x'.repeat(20_000)}"` }],
  ])('is an error where %s', async (_what, documents) => {
    tells(documents);
    await expect(read()).rejects.toThrow();
  });

  it.each([
    ['of one resource', { name: 'a/b' }, { name: 'a' }],
    ['of many', {}, {}],
  ])('is an error where there is more than anybody serves: %s', async (_what, each, first) => {
    tells({ '/apis/example.com/v1': { resources: [first, ...Array(40_000).fill(each)] } });
    await expect(read(undefined, 1 << 20)).rejects.toThrow('it tells of more than 10000');
    const resources = [{ resource: 'a', subresources: Array(40_000).fill({}) }];
    const items = [{ metadata: { name: 'example.com' }, versions: [{ version: 'v1', resources }] }];
    const type = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';
    tells({ '/apis': { items } }, { 'content-type': type });
    await expect(read(undefined, 1 << 20)).rejects.toThrow('it tells of more than 10000');
  });

  it('is an error where discovery is larger than a megabyte, whatever else may be', async () => {
    tells({ '/apis/example.com/v1': { ...LIST, more: 'x'.repeat(1 << 20) } });
    await expect(read(undefined, 8 << 20)).rejects.toThrow('larger than 1048576 bytes');
  });

  it('is read as fast as it is long', async () => {
    const resources = [{ name: 'a' }, ...Array(9_000).fill({ name: 'a/b' })];
    tells({ '/apis/example.com/v1': { resources } });
    const [only] = (await read(undefined, 1 << 20)).resources.get('example.com/v1') ?? [];
    expect(only?.subresources).toHaveLength(9_000);
  }, 5_000);

  it('is of OpenAPI 3 what is about its own group-versions, and lies with it', async () => {
    const url = '/openapi/v3/apis/example.com/v1';
    const paths = {
      'apis/example.com/v1': { serverRelativeURL: `${url}?hash=1` },
      'apis/apps/v1': { serverRelativeURL: url },
    };
    tells({ '/apis/example.com/v1': LIST, '/openapi/v3': { paths } });
    expect([...(await read()).openApiV3]).toEqual([['apis/example.com/v1', `${url}?hash=1`]]);
    const elsewhere = { 'apis/example.com/v1': { serverRelativeURL: 'https://example.com/' } };
    tells({ '/apis/example.com/v1': LIST, '/openapi/v3': { paths: elsewhere } });
    expect((await read()).openApiV3.size).toBe(0);
  });

  it('is of OpenAPI 2.0 what can be written, and is not sent again when it is known', async () => {
    const path = '/apis/example.com/v1/things';
    const documents = {
      '/apis/example.com/v1': LIST,
      '/openapi/v2': { paths: { [path]: { get: { responses: {} } } } },
    };
    tells(documents, { etag: '"1"' });
    const first = await read();
    expect(Object.keys(first.openApiV2?.paths ?? {})).toEqual([path]);
    extension.answer = (req, res) => {
      const known = req.headers['if-none-match'] === '"1"';
      if (req.url === '/openapi/v2') res.writeHead(known ? 304 : 500).end();
      else res.end(JSON.stringify(LIST));
    };
    expect((await read(first)).openApiV2).toBe(first.openApiV2);
    tells({ ...documents, '/openapi/v2': { paths: { [path]: { get: { nobodys: {} } } } } });
    expect([(await read()).openApiV2, problems.length]).toEqual([undefined, 1]);
  });

  it('is the very same of OpenAPI 2.0 where it tells the same, without a tag too, and no longer where other versions are meant', async () => {
    const [one, two] = ['/apis/example.com/v1/things', '/apis/example.com/v2/things'];
    const operation = { get: { responses: {} } };
    tells({
      '/apis/example.com/v1': LIST,
      '/apis/example.com/v2': { ...LIST, groupVersion: 'example.com/v2' },
      '/openapi/v2': { paths: { [one]: operation, [two]: operation } },
    });
    const first = await read();
    const second = await read(first);
    expect(second.openApiV2).toBe(first.openApiV2);
    const both = await read(second, 10_000, [...VERSIONS, { group: 'example.com', version: 'v2' }]);
    expect(Object.keys(both.openApiV2?.paths ?? {})).toEqual([one, two]);
  });
});

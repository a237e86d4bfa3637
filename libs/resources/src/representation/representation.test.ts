import {
  decodeObject,
  decodeProtobufObject,
  decodeUnknown,
  parseStoredJson,
  parseYaml,
  stringifyJson,
  stringifyYaml,
} from '@orch/codec';
import { conversionsOf } from '@orch/kinds';
import { type ApiObject, type NamingProfile, namesOf, StatusError } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import { prettyList } from '@orch/serving';
import { type TestApi, testApi } from '@orch/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Stored } from '../stored/stored.js';
import { fromStored, toStoredBody } from '../stored/stored-body.js';
import { StoredForm } from '../stored/stored-form.js';
import { bytesOf, gathered } from './piece.js';
import { PieceWriter } from './piece-writer.js';
import type { Representation } from './representation.js';
import { spliceJson, typePrefix } from './splice.js';

const text = (bytes: Buffer) => JSON.parse(bytes.toString()) as ApiObject;

describe('stored bodies', () => {
  const scheme = loadScheme(namesOf('orch'));
  const storage = scheme.resource('', 'v1', 'configmaps') ?? expect.unreachable();
  const lying = {
    storage: { ...storage, kind: 'Thing' },
    storageApiVersion: 'v1',
    form: new StoredForm(conversionsOf(scheme), storage, 'v1', { numberOf: () => 0, fill: () => undefined }),
  };
  const word = fc.string({ maxLength: 20, unit: 'grapheme' });
  const objects = fc.record({
    apiVersion: fc.constant('v1'),
    kind: fc.constant('Thing'),
    metadata: fc.record({
      name: word,
      uid: word,
      resourceVersion: fc.constant('7'),
      labels: fc.dictionary(word, word, { maxKeys: 3 }),
    }),
    spec: fc.object({ maxDepth: 2, values: [word, fc.integer(), fc.boolean(), fc.constant(null)] }),
    data: fc.dictionary(word, word, { maxKeys: 3 }),
  });

  it('spliced are what parsing and writing anew would make', () => {
    fc.assert(
      fc.property(objects, (object) => {
        const stored: Stored = {
          version: 7n,
          storedVersion: 'v1',
          defaults: 0,
          body: toStoredBody(object as ApiObject, lying),
        };
        const spliced = spliceJson(typePrefix('v1', 'Thing'), stored, {
          form: lying.form,
          model: { struct: undefined },
        });
        expect(text(spliced)).toEqual(JSON.parse(JSON.stringify(fromStored(stored, lying))));
        expect(text(spliced)).toEqual(JSON.parse(JSON.stringify(object)));
      }),
      { seed: 3, numRuns: 200 },
    );
  });

  it('hold neither type nor version, and metadata first', () => {
    const body = toStoredBody(
      { spec: {}, kind: 'K', metadata: { resourceVersion: '5', name: 'a' }, apiVersion: 'v1' },
      lying,
    );
    expect(body.toString()).toBe('{"metadata":{"name":"a"},"spec":{}}');
  });

  it('keep integers that no double holds', () => {
    const stored: Stored = {
      version: 1n,
      storedVersion: 'v1',
      defaults: 0,
      body: Buffer.from('{"metadata":{"name":"a"},"spec":{"n":9223372036854775807}}'),
    };
    expect(spliceJson('{', stored, { form: lying.form, model: { struct: undefined } }).toString()).toContain(
      '"n":9223372036854775807}',
    );
    expect(toStoredBody(fromStored(stored, lying), lying)).toEqual(stored.body);
  });

  it('of what was not stored have no version', () => {
    const stored: Stored = {
      version: 0n,
      storedVersion: '',
      defaults: 0,
      body: Buffer.from('{"metadata":{"name":"a"}}'),
    };
    expect(spliceJson('{', stored, { form: lying.form, model: { struct: undefined } }).toString()).toBe(
      '{"metadata":{"name":"a"}}',
    );
    expect(fromStored(stored, lying).metadata).toEqual({ name: 'a' });
  });
});

describe('PieceWriter', () => {
  it.each([1, 2, 3, 4, 5])('loses and repeats nothing (seed %i)', (seed) => {
    const sizes = fc.sample(fc.oneof(fc.nat(200), fc.nat(300_000)), { seed, numRuns: 60 });
    const out = new PieceWriter();
    const wanted: Buffer[] = [];
    const pieces: Buffer[] = [];
    for (const [at, size] of sizes.entries()) {
      const bytes = Buffer.alloc(size + 2, 97 + (at % 26));
      out.ascii(',');
      out.bytes(bytes, 2);
      wanted.push(Buffer.from(','), bytes.subarray(2));
      for (let piece = out.shift(); piece; piece = out.shift()) pieces.push(piece);
    }
    pieces.push(...out.end());
    expect(Buffer.concat(pieces).equals(Buffer.concat(wanted))).toBe(true);
    expect(out.end()).toEqual([]);
  });
});

describe.each<NamingProfile>(['orch', 'kubernetes'])('representations, names of %s', (profile) => {
  let api: TestApi;
  const rows: Stored[] = [];
  beforeAll(async () => {
    api = await testApi({}, profile);
    for (let i = 0; i < 600; i++) {
      const data = { text: 'ü'.repeat(400), number: String(i) };
      await api.create('configmaps', { metadata: { name: `c${String(i).padStart(3, '0')}` }, data });
    }
    rows.push(...api.store.rows(api.endpoint('configmaps').type));
  });
  afterAll(() => api.close());

  const choose = (accept: string, query = '', resource = 'configmaps') =>
    api.deps.representations.choose(api.endpoint(resource), accept, new URLSearchParams(query));
  const as = (kind: string, type = 'application/json') => `${type};as=${kind};g=${api.deps.names.metaGroup};v=v1`;
  const first = () => rows[0] ?? expect.unreachable();

  async function* paged(): AsyncGenerator<readonly Stored[]> {
    for (let at = 0; at < rows.length; at += 100) yield rows.slice(at, at + 100);
  }
  async function list(representation: Representation): Promise<Buffer[]> {
    const pieces: Buffer[] = [];
    const meta = { resourceVersion: '99', continue: 'x', remainingItemCount: 5 };
    for await (const piece of representation.list(meta, paged())) pieces.push(bytesOf(piece));
    return pieces;
  }
  const meta = { resourceVersion: '99', continue: 'x', remainingItemCount: 5 };

  it('JSON', async () => {
    const json = choose('application/json');
    expect(text(json.object(first()))).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'c000', resourceVersion: String(first().version) },
      data: { number: '0' },
    });
    const pieces = await list(json);
    expect(pieces.length).toBeGreaterThan(3);
    for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(128 * 1024);
    const whole = text(Buffer.concat(pieces));
    expect(whole).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1', metadata: meta });
    expect(whole.items).toHaveLength(600);
    // Items of a list say nothing of their type.
    expect((whole.items as ApiObject[])[0]).not.toHaveProperty('kind');
    expect((whole.items as ApiObject[])[599]?.metadata?.name).toBe('c599');
  });

  it('empty lists have items all the same', async () => {
    for (const accept of ['application/json', as('Table'), as('PartialObjectMetadataList')]) {
      const pieces: Buffer[] = [];
      async function* nothing(): AsyncGenerator<readonly Stored[]> {}
      for await (const piece of choose(accept).list({ resourceVersion: '1' }, nothing())) pieces.push(bytesOf(piece));
      const whole = text(Buffer.concat(pieces));
      expect(whole.items ?? whole.rows).toEqual([]);
    }
  });

  it('text is laid out an item at a time as it would be whole', async () => {
    // Rows of tables say how old objects are, in seconds.
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(Date.now() + 3 * 86_400_000 + 30_000);
    onTestFinished(() => void vi.useRealTimers());
    for (const resource of ['configmaps', 'table']) {
      const accept = resource === 'table' ? as('Table') : 'application/json';
      const json = choose(accept);
      for (const some of [[], rows.slice(0, 1), rows.slice(0, 3)]) {
        async function* pages(): AsyncGenerator<readonly Stored[]> {
          yield some;
        }
        const parts = json.parts ?? expect.unreachable();
        const whole = parseStoredJson(await gathered(json.list(meta, pages())));
        const pretty = (await gathered(prettyList(parts, meta, pages()))).toString();
        expect(pretty).toBe(`${stringifyJson(whole, 2)}\n`);
        const yaml = choose(accept.replace('json', 'yaml'));
        expect((await gathered(yaml.list(meta, pages()))).toString()).toBe(stringifyYaml(whole));
      }
    }
  });

  it('texts of many lines stay what they are in a list', async () => {
    const text = '  first\n\n\n second \u2028\n"quoted"\n- x: y\n';
    await api.create('configmaps', { metadata: { name: 'lines' }, data: { text, long: `${'x'.repeat(60)}\n\n y` } });
    const row = api.store.rows(api.endpoint('configmaps').type).find(({ name }) => name === 'lines');
    async function* pages(): AsyncGenerator<readonly Stored[]> {
      yield [row ?? expect.unreachable()];
    }
    const bytes = await gathered(choose('application/yaml').list(meta, pages()));
    expect(parseYaml(bytes).value).toMatchObject({ items: [{ data: { text } }] });
  });

  it('protobuf lists that are not held are what those that are would be', async () => {
    const { names } = api.deps;
    const protobuf = choose(names.protobufMediaType);
    let rounds = 0;
    const pages = {
      async *[Symbol.asyncIterator]() {
        rounds++;
        for (let i = 0; i < 3; i++) yield rows;
      },
    };
    const pieces: Buffer[] = [];
    for await (const piece of protobuf.list(meta, pages)) pieces.push(bytesOf(piece));
    expect(rounds).toBe(2);
    expect(pieces.length).toBeGreaterThan(3);
    const { kind, raw } = decodeUnknown(Buffer.concat(pieces));
    expect(kind).toBe('ConfigMapList');
    const list = decodeObject(api.deps.scheme.struct('core/v1.ConfigMapList'), raw);
    expect(list.items).toHaveLength(1800);
    expect(list.metadata).toMatchObject(meta);
  });

  it('YAML says what JSON says', async () => {
    const yaml = choose('application/yaml');
    expect(yaml.object(first()).toString()).toMatch(/^apiVersion: v1\n|^kind: ConfigMap\n/);
    expect(Buffer.concat(await list(yaml)).toString()).toContain('kind: ConfigMapList');
    expect(yaml.streamContentType).toBeUndefined();
  });

  it('protobuf can be read back', async () => {
    const { names, scheme } = api.deps;
    const protobuf = choose(names.protobufMediaType);
    const schema = api.deps.scheme.struct('core/v1.ConfigMap');
    const back = decodeProtobufObject(schema, protobuf.object(first()));
    expect(back).toMatchObject({ metadata: text(choose('application/json').object(first())).metadata });
    expect(back.data).toEqual(text(choose('application/json').object(first())).data);
    const whole = decodeUnknown(Buffer.concat(await list(protobuf)));
    expect([whole.kind, whole.apiVersion]).toEqual(['ConfigMapList', 'v1']);
    const partial = choose(as('PartialObjectMetadata', names.protobufMediaType));
    const only = decodeProtobufObject(scheme.struct('meta/v1.PartialObjectMetadata'), partial.object(first()));
    expect(only.metadata).toMatchObject({ name: 'c000' });
    expect(only).not.toHaveProperty('data');
  });

  it('tables (spec: "Table representation")', async () => {
    const table = choose(as('Table'));
    const one = text(table.object(first()));
    const metaVersion = `${api.deps.names.metaGroup}/v1`;
    expect(one).toMatchObject({ kind: 'Table', apiVersion: metaVersion });
    expect((one.columnDefinitions as { name: string; type: string }[])[0]).toMatchObject({
      name: 'Name',
      type: 'string',
    });
    const whole = text(Buffer.concat(await list(table)));
    expect(whole).toMatchObject({ kind: 'Table', metadata: meta });
    const tableRows = whole.rows as { cells: unknown[]; object: ApiObject }[];
    expect(tableRows).toHaveLength(600);
    const columns = (whole.columnDefinitions as unknown[]).length;
    for (const { cells } of tableRows) expect(cells).toHaveLength(columns);
    expect(tableRows[0]?.object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'c000' } });
  });

  it.each([
    ['None', undefined],
    ['Metadata', 'PartialObjectMetadata'],
    ['Object', 'ConfigMap'],
    ['', 'PartialObjectMetadata'],
  ])('tables carry along what is asked for: %j', (include, kind) => {
    const [row] = text(choose(as('Table'), `includeObject=${include}`).object(first())).rows as {
      object?: ApiObject;
    }[];
    expect(row?.object?.kind).toBe(kind);
  });

  it('tables carry nothing that is unknown', () => {
    expect(() => choose(as('Table'), 'includeObject=All')).toThrow(StatusError);
  });

  it('metadata alone', async () => {
    const partial = choose(as('PartialObjectMetadata'));
    const one = text(partial.object(first()));
    expect(Object.keys(one).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    const whole = text(Buffer.concat(await list(choose(as('PartialObjectMetadataList')))));
    expect(whole).toMatchObject({ kind: 'PartialObjectMetadataList', metadata: meta });
    expect((whole.items as ApiObject[])[5]).toMatchObject({ metadata: { name: 'c005' } });
    expect((whole.items as ApiObject[])[5]).not.toHaveProperty('data');
  });

  it.each([
    ['application/json', 'ConfigMap'],
    ['table', 'Table'],
    ['partial', 'PartialObjectMetadata'],
  ])('bookmarks of %s are of the watched type, with nothing but a version', (form, kind) => {
    const accept = form === 'table' ? as('Table') : form === 'partial' ? as('PartialObjectMetadata') : form;
    const representation = choose(accept);
    const event = text(representation.bookmark({ resourceVersion: '42', initialEventsEnd: false }));
    expect(event).toMatchObject({ type: 'BOOKMARK', object: { kind, metadata: { resourceVersion: '42' } } });
    expect((event.object as ApiObject).metadata).not.toHaveProperty('annotations');
    expect(event.object).not.toHaveProperty('data');
    const last = text(representation.bookmark({ resourceVersion: '42', initialEventsEnd: true }));
    expect((last.object as ApiObject).metadata?.annotations).toEqual({ [api.deps.names.initialEventsEnd]: 'true' });
  });

  it('events are one line of JSON each', () => {
    for (const accept of ['application/json', as('Table'), as('PartialObjectMetadata')]) {
      const line = choose(accept).event('MODIFIED', first()).toString();
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(JSON.parse(line)).toMatchObject({ type: 'MODIFIED', object: { metadata: {} } });
    }
    const around = (length: number) => [`${length}<`, '>'] as const;
    for (const accept of ['application/json', as('Table'), as('PartialObjectMetadata')]) {
      const { event, eventWithin, piecesWithin } = choose(accept);
      const line = event('ADDED', first());
      expect(eventWithin?.('ADDED', first(), around).toString()).toBe(`${line.length}<${line}>`);
      const stored = first();
      const pieces = piecesWithin?.('ADDED', stored, around);
      expect(pieces && Buffer.concat(pieces).toString()).toBe(
        accept === 'application/json' ? `${line.length}<${line}>` : undefined,
      );
      expect(pieces?.some(({ buffer }) => buffer === stored.body.buffer) ?? true).toBe(true);
      if (pieces) expect(Buffer.concat(piecesWithin?.('ADDED', stored) ?? []).toString()).toBe(line.toString());
    }
    const error = choose('application/json').errorEvent(new StatusError('Expired', 'old').status);
    expect(text(error)).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410 } });
  });

  it('are made once for what is the same, and told apart where it is not', () => {
    const { protobufMediaType } = api.deps.names;
    expect(choose('application/json')).toBe(choose('*/*'));
    expect(choose('application/json', 'includeObject=Object')).toBe(choose('application/json'));
    const all = ['application/json', 'application/yaml', protobufMediaType, as('Table'), as('PartialObjectMetadata')];
    expect(new Set(all.map((accept) => choose(accept).key)).size).toBe(all.length);
  });

  it('of another version than the stored one are converted', async () => {
    const hpa = api.endpoints.filter(({ definition }) => definition.resource === 'horizontalpodautoscalers');
    const [converted, other] = [hpa.find((one) => one.conversion), hpa.find((one) => !one.conversion)];
    if (!converted || !other) return expect.unreachable();
    const object = {
      metadata: { name: 'h' },
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
    };
    const request = api.request('CREATE', 'horizontalpodautoscalers', 'h', { endpoint: converted });
    const { stored } = await api.deps.pipeline.write(request, { create: () => object });
    const { representations } = api.deps;
    for (const endpoint of [converted, other]) {
      const shown = representations.choose(endpoint, 'application/json', new URLSearchParams()).object(stored);
      expect(text(shown)).toMatchObject({ apiVersion: endpoint.apiVersion, spec: { maxReplicas: 3 } });
      const { status } = parseStoredJson(shown) as { status?: object };
      // Always written in v2, and not known in v1.
      expect(status).toEqual(
        endpoint.apiVersion.endsWith('v2')
          ? { desiredReplicas: 0, currentMetrics: null }
          : { currentReplicas: 0, desiredReplicas: 0 },
      );
    }
  });
});

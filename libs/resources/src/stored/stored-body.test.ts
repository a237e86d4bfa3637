import { parseStoredJson } from '@orch/codec';
import { conversionsOf } from '@orch/kinds';
import { type ApiObject, namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spliceJson } from '../representation/splice.js';
import { fromStored, ownersApart, toStoredBody, withoutOwners } from './stored-body.js';
import { StoredForm } from './stored-form.js';

const scheme = loadScheme(namesOf('orch'));
const storage = scheme.resource('', 'v1', 'configmaps') ?? expect.unreachable();
const form = new StoredForm(conversionsOf(scheme), storage, 'v1', { numberOf: () => 0, fill: () => undefined });

/** Names and values that look like the end of the owners, or hold quotes and backslashes. */
const tricky = fc.oneof(
  fc.constantFrom('}],"name":', '}],', '}],"', '\\', '"', '}],\\"a', 'f:a', '{}]', 'é😀'),
  fc.string({ maxLength: 6 }),
);
const fields = fc.dictionary(tricky, fc.constant({}), { maxKeys: 4, noNullPrototype: true });
const entry = fc.record(
  { manager: tricky, operation: fc.constantFrom('Apply', 'Update'), fieldsV1: fields, subresource: tricky },
  { requiredKeys: ['fieldsV1'], noNullPrototype: true },
);

describe('managedFields of a stored body', () => {
  it('stand first and are cut out, whatever they hold', () => {
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 3 }), tricky, (managedFields, value) => {
        const object = (metadata: object): ApiObject => ({ metadata, data: { managedFields: value } });
        const meta = { name: 'a', labels: { l: value } };
        const body = toStoredBody(object({ ...meta, managedFields }), { form });
        expect(parseStoredJson(body)).toMatchObject({ metadata: { managedFields, ...meta } });
        expect(body.indexOf('"managedFields":')).toBe('{"metadata":{'.length);
        const bare = toStoredBody(object(meta), { form });
        expect(withoutOwners(body)).toEqual(bare);
        const parts = ownersApart.split(body);
        expect(ownersApart.split(Buffer.from(body)), 'bytes that were not put together here').toEqual(parts);
        expect(parts.owners ? ownersApart.join(parts.body, parts.owners) : parts.body).toEqual(body);
        expect(ownersApart.split(bare)).toEqual({ body: bare, owners: null });
      }),
      { seed: 11, numRuns: 500 },
    );
  });

  it('lie apart in the database in few bytes; of what cannot be read the object alone is left', () => {
    const fieldsV1 = { 'f:spec': { 'f:replicas': {}, 'f:template': { 'f:spec': { '.': {}, 'f:dnsPolicy': {} } } } };
    const entries = [{ manager: 'm', operation: 'Apply', apiVersion: 'apps/v1', fieldsType: 'FieldsV1', fieldsV1 }];
    const whole = toStoredBody({ metadata: { name: 'a', managedFields: entries } }, { form });
    const { body, owners } = ownersApart.split(whole);
    expect(body.toString()).toBe('{"metadata":{"name":"a"}}');
    expect(owners?.length).toBeLessThan(30);
    expect(owners && ownersApart.join(body, owners)).toEqual(whole);
    expect(ownersApart.join(body, Buffer.from('none of ours'))).toEqual(body);
    expect(ownersApart.split(Buffer.from('no body'))).toEqual({ body: Buffer.from('no body'), owners: null });
  });

  it('are none where nobody owns anything', () => {
    const body = toStoredBody({ metadata: { name: 'a', managedFields: [] }, data: {} }, { form });
    expect(body.toString()).toBe('{"metadata":{"name":"a"},"data":{}}');
    expect(withoutOwners(body)).toBe(body);
  });
});

describe('a stored body that somebody mended by hand', () => {
  const metadata = { name: 'a', labels: { l: 'm' } };
  const managedFields = [
    { manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': {} } },
  ];
  const endpoint = { form, storage, storageApiVersion: 'v1' };

  it.each([
    ['members in another order', JSON.stringify({ data: { a: '1' }, metadata })],
    ['spaces', JSON.stringify({ metadata, data: { a: '1' } }, null, 1)],
  ])('is read as any other: %s', (_, text) => {
    const stored = { version: 7n, storedVersion: '', defaults: 0, body: Buffer.from(text) };
    const whole = { metadata: { resourceVersion: '7', ...JSON.parse(text).metadata }, data: { a: '1' } };
    expect(JSON.parse(spliceJson('{', stored, { form, model: { struct: undefined } }).toString())).toEqual(whole);
    expect(fromStored(stored, endpoint)).toMatchObject(whole);
    const { owners } = ownersApart.split(toStoredBody({ metadata: { ...metadata, managedFields } }, { form }));
    const joined = { ...stored, body: ownersApart.join(stored.body, owners ?? expect.unreachable()) };
    expect(fromStored(joined, endpoint)).toMatchObject({ ...whole, metadata: { ...whole.metadata, managedFields } });
  });

  it('is left as it is where it cannot be read', () => {
    const body = Buffer.from('{"data":{"a":');
    expect(() => ownersApart.join(body, Buffer.from('x'))).not.toThrow();
  });
});

import { conversionsOf } from '@orch/kinds';
import { type ApiObject, namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StoredForm } from '../served/stored-form.js';
import { toStoredBody, withoutOwners } from './stored-body.js';

const scheme = loadScheme(namesOf('orch'));
const storage = scheme.resource('', 'v1', 'configmaps') ?? expect.unreachable();
const form = new StoredForm(conversionsOf(scheme), storage, 'v1');

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
        expect(JSON.parse(body.toString()).metadata).toEqual({ managedFields, ...meta });
        expect(body.indexOf('"managedFields":')).toBe('{"metadata":{'.length);
        expect(withoutOwners(body)).toEqual(toStoredBody(object(meta), { form }));
      }),
      { seed: 11, numRuns: 500 },
    );
  });

  it('are none where nobody owns anything', () => {
    const body = toStoredBody({ metadata: { name: 'a', managedFields: [] }, data: {} }, { form });
    expect(body.toString()).toBe('{"metadata":{"name":"a"},"data":{}}');
    expect(withoutOwners(body)).toBe(body);
  });
});

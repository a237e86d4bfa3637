import type { ApiObject } from '@orch/machinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromStored, ownersOf, toStoredBody, unownedFromStored, withoutOwners } from './stored-body.js';

/** Names and values that look like the end of the owners, or hold quotes and backslashes. */
const tricky = fc.oneof(
  fc.constantFrom('}],"name":', '}],', '}],"', '\\', '"', '}],\\"a', 'f:a', '{}]', 'é😀'),
  fc.string({ maxLength: 6 }),
);
const fields = fc.dictionary(tricky, fc.constant({}), { maxKeys: 4 });
const entry = fc.record({ manager: tricky, operation: fc.constantFrom('Apply', 'Update'), fieldsV1: fields });

describe('managedFields of a stored body', () => {
  it('are found again, whatever they hold, and cut out', () => {
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 3 }), tricky, (entries, value) => {
        const owners = JSON.stringify(entries);
        const object: ApiObject = { metadata: { name: 'a', labels: { l: value } }, data: { managedFields: value } };
        const stored = { version: 7n, body: toStoredBody(object, owners) };
        expect(JSON.parse(stored.body.toString()).metadata.managedFields).toEqual(entries);
        expect(ownersOf(stored)).toBe(owners);
        expect(withoutOwners(stored.body)).toEqual(toStoredBody(object));
        expect(unownedFromStored(stored, 'v1', 'K')).toEqual(
          fromStored({ ...stored, body: toStoredBody(object) }, 'v1', 'K'),
        );
      }),
      { seed: 11, numRuns: 500 },
    );
  });

  it('are none where there are none, and those of the object itself do not count', () => {
    const body = toStoredBody({ metadata: { name: 'a', managedFields: [{ manager: 'm' }] }, data: {} });
    expect(body.toString()).toBe('{"metadata":{"name":"a"},"data":{}}');
    expect(ownersOf({ body })).toBe('');
    expect(withoutOwners(body)).toBe(body);
  });
});

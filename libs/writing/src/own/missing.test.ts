import { conflict, notFound, StatusError } from '@orch/machinery';
import { expect, it } from 'vitest';
import { ignoreMissing, isMissing, isNamespaceMissing } from './missing.js';

const THINGS = { groupResource: { group: 'example.com', resource: 'things' } };

it('tells whether this object does not exist, and not another, nor what a webhook says', () => {
  const missing = notFound(THINGS.groupResource, 'a');
  expect(isMissing(missing, THINGS, 'a')).toBe(true);
  expect(isMissing(missing, THINGS, 'b')).toBe(false);
  expect(isMissing(missing, { groupResource: { group: '', resource: 'things' } }, 'a')).toBe(false);
  expect(isMissing(conflict(THINGS.groupResource, 'a', 'x'), THINGS, 'a')).toBe(false);
  expect(isMissing(new Error(missing.message), THINGS, 'a')).toBe(false);
  const denied = new StatusError('NotFound', `admission webhook "w" denied the request: ${missing.message}`);
  denied.status.details = { ...missing.status.details };
  expect(isMissing(denied, THINGS, 'a')).toBe(false);
  const bare = new StatusError('BadRequest', missing.message);
  bare.status.code = 404;
  expect(isMissing(bare, THINGS, 'a')).toBe(false);
});

it('tells whether the namespace does not exist', () => {
  const missing = notFound({ group: '', resource: 'namespaces' }, 'ns');
  expect([isNamespaceMissing(missing, 'ns'), isNamespaceMissing(missing, '')]).toEqual([true, false]);
});

it('lets only that pass', () => {
  const ignore = ignoreMissing(THINGS, 'a');
  expect(() => ignore(notFound(THINGS.groupResource, 'a'))).not.toThrow();
  expect(() => ignore(notFound(THINGS.groupResource, 'b'))).toThrow('"b" not found');
});

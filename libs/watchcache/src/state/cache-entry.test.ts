import { expect, it } from 'vitest';
import { selecting } from '../testing/fixtures.js';
import type { Selection } from './attributes.js';
import { entryOf, selects } from './cache-entry.js';

const row = {
  namespace: 'a',
  name: 'o',
  uid: 'u',
  version: 1n,
  storedVersion: '',
  defaults: 0,
  body: Buffer.from('{}'),
};

/** Whether an object is selected that has a label, and how often it was parsed for that. */
function looked(selection: Selection, failure?: Error): [boolean, number] {
  let parsed = 0;
  const describe = () => {
    parsed++;
    return { labels: { app: 'web' }, fields: { 'metadata.name': 'o', 'metadata.namespace': 'a' } };
  };
  return [selects(selection, entryOf({ ...row, ...(failure && { failure }) }, describe)), parsed];
}

it('an object is only parsed for a selection that its key does not decide', () => {
  const mine = { 'field:metadata.name': 'o', 'field:metadata.namespace': 'a' } as const;
  expect(looked({ ...selecting(mine), byKey: true })).toEqual([true, 0]);
  expect(looked(selecting(mine))).toEqual([true, 1]);
  expect(looked(selecting({ ...mine, 'label:app': 'web' }))).toEqual([true, 1]);
  expect(looked(selecting({ ...mine, 'label:app': 'db' }))).toEqual([false, 1]);
  expect(looked(selecting({ 'field:metadata.name': 'p', 'label:app': 'web' }))).toEqual([false, 0]);
  expect(looked(selecting({ ...mine, 'field:metadata.namespace': 'b' }))).toEqual([false, 0]);
});

it('an object that could not be converted is passed over only by what names another', () => {
  const failure = new Error('no conversion');
  expect(looked(selecting({ 'label:app': 'db' }), failure)).toEqual([true, 0]);
  expect(looked(selecting({ 'field:metadata.name': 'p' }), failure)).toEqual([false, 0]);
});

import { expect, it } from 'vitest';
import { escapeName, unescapeName } from './escape.js';

it.each([
  ['plain', 'plain'],
  ['a.b', 'a__dot__b'],
  ['a-b/c', 'a__dash__b__slash__c'],
  ['a__b', 'a__underscores__b'],
  ['namespace', '__namespace__'],
  ['___', '__underscores___'],
])('%s is known as %s', (name, escaped) => {
  expect(escapeName(name)).toBe(escaped);
  expect(unescapeName(escaped)).toBe(name);
});

it.each(['', '9lives', 'x y', '$', 'é'])('%s cannot be named', (name) => {
  expect(escapeName(name)).toBeUndefined();
});

it.each(['__nothing__', 'a__in__', '__dot'])('%s is the name of %s', (escaped) => {
  expect(unescapeName(escaped)).toBe(escaped === '__dot' ? '__dot' : undefined);
});

import { expect, it } from 'vitest';
import { equal } from './equal.js';

it.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])(
  'a member `%s` is one only where it is given',
  (name) => {
    expect(equal({}, { [name]: 'x' })).toBe(false);
    expect(equal({ [name]: 'x' }, {})).toBe(false);
    expect(equal({ [name]: 'x' }, { [name]: 'x' })).toBe(true);
    expect(equal({ [name]: [] }, {})).toBe(true);
    expect(equal({}, { [name]: {} })).toBe(equal({}, { other: {} }));
  },
);

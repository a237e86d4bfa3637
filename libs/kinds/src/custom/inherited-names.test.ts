import type { ApiObject } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { printerColumns } from './printer-columns.js';
import { CustomScale } from './scale.js';
import { selectableFields } from './selectable-fields.js';

/** Names of what every JavaScript object inherits, which are data like any others. */
describe.each(['constructor', 'toString', 'hasOwnProperty'])('a member called %s', (name) => {
  const object = (spec: object): ApiObject => ({ kind: 'Thing', spec });
  const jsonPath = `.spec.${name}`;

  it('is selected by only where the object has one', () => {
    const select = selectableFields({ selectableFields: [{ jsonPath }] })[`spec.${name}`];
    expect(select?.(object({}))).toBe('');
    expect(select?.(object({ [name]: 'x' }))).toBe('x');
  });

  it('fills a column only where the object has one', () => {
    const { cells } = printerColumns([{ name: 'A', type: 'string', jsonPath }]);
    expect(cells(object({}), 0)).toEqual([null]);
    expect(cells(object({ [name]: 'x' }), 0)).toEqual(['x']);
  });

  it('is scaled by only where the object has one, and made where it has none', () => {
    const scale = new CustomScale({ specReplicasPath: `${jsonPath}.count`, statusReplicasPath: '.status.x' });
    const thing = object({});
    expect(scale.read(thing).replicas).toBeUndefined();
    scale.write(thing, 3);
    expect(thing.spec).toEqual({ [name]: { count: 3 } });
    expect(scale.read(thing).replicas).toBe(3);
    expect(Object.hasOwn(Object.prototype[name as 'constructor'], 'count')).toBe(false);
  });
});

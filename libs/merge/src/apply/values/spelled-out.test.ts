import { type JsonObject, namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import { expect, it } from 'vitest';
import { fieldElement } from '../paths/path-element.js';
import { declaredType } from '../types/declared-types.js';
import type { Type } from '../types/type.js';
import { spelledOut } from './spelled-out.js';

it('shares nothing with the type: what is filled into one object is not what others leave out', () => {
  const type = declaredType(loadScheme(namesOf('kubernetes')).struct('core/v1.PersistentVolumeClaim'), { zeros: true });
  const fresh = () =>
    spelledOut(type, { kind: 'PersistentVolumeClaim' }) as { spec: JsonObject & { resources: JsonObject } };
  const before = structuredClone(fresh());
  const one = fresh();
  one.spec.volumeMode = 'Filesystem';
  one.spec.resources.requests = { storage: '1Gi' };
  expect(fresh()).toEqual(before);
});

it.each(['constructor', 'toString'])('writes the zero of a field %s, which every object inherits', (name) => {
  const field = { element: fieldElement(name), type: { scalar: 'numeric' }, zero: 0 } as const;
  const type: Type = { map: { atomic: false, fields: new Map([[name, field]]), always: [name], plans: [] } };
  expect(Object.entries(spelledOut(type, {}))).toEqual([[name, 0]]);
  expect(Object.entries(spelledOut(type, { [name]: 1 }))).toEqual([[name, 1]]);
});

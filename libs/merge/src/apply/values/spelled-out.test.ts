import { type JsonObject, namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import { expect, it } from 'vitest';
import { declaredType } from '../types/declared-types.js';
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

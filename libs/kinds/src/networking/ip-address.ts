import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { textAt } from '../values/fields.js';

export const ipAddress: KindDeclaration = {
  nameRule: 'pathSegment',
  validateUpdate: (object, old) => immutableField(object, old, 'spec', 'parentRef'),
  row(object) {
    const parent = (name: string) => textAt(object, 'spec', 'parentRef', name);
    const group = parent('group');
    const resource = group ? `${parent('resource')}.${group}` : parent('resource');
    return { ParentRef: [resource, parent('namespace'), parent('name')].filter(Boolean).join('/') };
  },
};

import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { textAt } from '../values/fields.js';

export const resourceClaimTemplate: KindDeclaration = {
  validateUpdate: (object, old) => immutableField(object, old, 'spec'),
  row: (object) => ({
    ResourceClassName: textAt(object, 'spec', 'spec', 'resourceClassName'),
    AllocationMode: textAt(object, 'spec', 'spec', 'allocationMode'),
  }),
};

export const resourceClass: KindDeclaration = {
  generation: true,
  row: (object) => ({ DriverName: textAt(object, 'driverName') }),
};

export const podSchedulingContext: KindDeclaration = {
  row: (object) => ({ SelectedNode: textAt(object, 'spec', 'selectedNode') }),
};

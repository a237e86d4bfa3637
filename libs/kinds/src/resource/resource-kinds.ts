import { type ApiObject, dnsLabelErrors, dnsSubdomainErrors, duplicate, type FieldError } from '@orch/machinery';
import { validateDriverName } from '../core/csi-validation.js';
import { invalidEach } from '../rules/checks.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { each } from '../rules/lists.js';
import { validateNodeSelector } from '../rules/node-selector.js';
import { validateSet } from '../rules/sets.js';
import { validateTemplateMetadata } from '../rules/template-metadata.js';
import { at, isObject, objectAt, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { validateClaimSpec, validateParameters } from './claim-validation.js';

const MAX_NODES = 128;

export const resourceClaimTemplate: KindDeclaration = {
  validate: ({ spec }) => [
    ...validateTemplateMetadata(objectAt(spec, 'metadata'), 'spec.metadata'),
    ...validateClaimSpec(at(spec, 'spec'), 'spec.spec'),
  ],
  validateUpdate: (object, old) => immutableField(object, old, 'spec'),
  row: (object) => ({
    ResourceClassName: textAt(object, 'spec', 'spec', 'resourceClassName'),
    AllocationMode: textAt(object, 'spec', 'spec', 'allocationMode'),
  }),
};

export const resourceClass: KindDeclaration = {
  validate: validateClass,
  row: (object) => ({ DriverName: textAt(object, 'driverName') }),
};

export const podSchedulingContext: KindDeclaration = {
  validate: ({ spec }) => validateNodes(stringsAt(spec, 'potentialNodes'), 'spec.potentialNodes'),
  validateStatus: validateSchedulingStatus,
  row: (object) => ({ SelectedNode: textAt(object, 'spec', 'selectedNode') }),
};

function validateClass(object: ApiObject): FieldError[] {
  const { parametersRef: reference, suitableNodes: nodes } = object;
  const namespace = textAt(reference, 'namespace');
  return [
    ...validateDriverName(textAt(object, 'driverName'), 'driverName'),
    ...validateParameters(reference, 'parametersRef'),
    ...(namespace === '' ? [] : invalidEach('parametersRef.namespace', namespace, dnsLabelErrors(namespace))),
    ...(isObject(nodes) ? validateNodeSelector(nodes, 'suitableNodes') : []),
  ];
}

const validateNodes = (nodes: readonly string[], path: string): FieldError[] =>
  validateSet(nodes, path, MAX_NODES, (name, field) => invalidEach(field, name, dnsSubdomainErrors(name)));

/** Errors name the list of claims as clients know it. */
function validateSchedulingStatus({ status }: ApiObject): FieldError[] {
  const seen = new Set<string>();
  return each(objectsAt(status, 'resourceClaims'), 'status.claims', (claim, path) => {
    const name = textAt(claim, 'name');
    const again = seen.has(name) ? [duplicate(path, name)] : [];
    seen.add(name);
    return [...validateNodes(stringsAt(claim, 'unsuitableNodes'), `${path}.unsuitableNodes`), ...again];
  });
}

import { dnsLabelErrors, dnsSubdomainErrors, duplicate, type FieldError } from '@orch/machinery';
import type { PodSchedulingContext, ResourceClaimTemplate, ResourceClass } from '@orch/schema/types/resource/v1alpha2';
import { validateDriverName } from '../core/csi-validation.js';
import { invalidEach } from '../rules/checks.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { each } from '../rules/lists.js';
import { validateNodeSelector } from '../rules/node-selector.js';
import { validateSet } from '../rules/sets.js';
import { validateTemplateMetadata } from '../rules/template-metadata.js';
import { validateClaimSpec, validateParameters } from './claim-validation.js';

const MAX_NODES = 128;

/** Rules of ResourceClaimTemplate; the spec is immutable. */
export const resourceClaimTemplate: KindDeclaration<ResourceClaimTemplate> = {
  validate: ({ spec }) => [
    ...validateTemplateMetadata(spec?.metadata, 'spec.metadata'),
    ...validateClaimSpec(spec?.spec, 'spec.spec'),
  ],
  validateUpdate: (object, old) => immutableField(object, old, 'spec'),
  row: (object) => ({
    ResourceClassName: object.spec?.spec?.resourceClassName ?? '',
    AllocationMode: object.spec?.spec?.allocationMode ?? '',
  }),
};

/** Rules of ResourceClass. */
export const resourceClass: KindDeclaration<ResourceClass> = {
  validate: validateClass,
  row: (object) => ({ DriverName: object.driverName ?? '' }),
};

/** Rules of PodSchedulingContext. */
export const podSchedulingContext: KindDeclaration<PodSchedulingContext> = {
  validate: ({ spec }) => validateNodes(spec?.potentialNodes ?? [], 'spec.potentialNodes'),
  validateStatus: validateSchedulingStatus,
  row: (object) => ({ SelectedNode: object.spec?.selectedNode ?? '' }),
};

function validateClass(object: ResourceClass): FieldError[] {
  const { parametersRef: reference, suitableNodes: nodes } = object;
  const namespace = reference?.namespace ?? '';
  return [
    ...validateDriverName(object.driverName ?? '', 'driverName'),
    ...validateParameters(reference, 'parametersRef'),
    ...(namespace === '' ? [] : invalidEach('parametersRef.namespace', namespace, dnsLabelErrors(namespace))),
    ...(nodes ? validateNodeSelector(nodes, 'suitableNodes') : []),
  ];
}

const validateNodes = (nodes: readonly string[], path: string): FieldError[] =>
  validateSet(nodes, path, MAX_NODES, (name, field) => invalidEach(field, name, dnsSubdomainErrors(name)));

/** Errors name the list of claims as clients know it. */
function validateSchedulingStatus({ status }: PodSchedulingContext): FieldError[] {
  const seen = new Set<string>();
  return each(status?.resourceClaims ?? [], 'status.claims', (claim, path) => {
    const name = claim.name ?? '';
    const again = seen.has(name) ? [duplicate(path, name)] : [];
    seen.add(name);
    return [...validateNodes(claim.unsuitableNodes ?? [], `${path}.unsuitableNodes`), ...again];
  });
}

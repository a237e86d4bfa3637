import type { ApiObject } from '@orch/machinery';
import type { CustomResourceDefinition } from '@orch/schema/types/apiextensions/v1';
import { beginTermination } from '../custom/termination.js';
import { type GatedFields, gatedMember } from '../rules/gated-fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import type { KindSettings } from '../rules/settings.js';
import { ensureObject, fill, fillZero, isEmpty, objectsAt } from '../values/fields.js';
import { validateApproval } from './approval.js';
import { validateDefinition, validateDefinitionStatus, validateDefinitionUpdate } from './definition-validation.js';
import { allSchemas, hasSchema, isThere } from './schema-walk.js';
import { schemasOf, validateSchemas } from './version-validation.js';

const MEMBER = 'x-kubernetes-validations';
const LATER = 'LaterExpressions';

const expressions: GatedFields<CustomResourceDefinition> = {
  feature: 'CustomResourceValidationExpressions',
  inUse: (stored) => schemasOf(stored.spec).some((schema) => hasSchema(schema, (each) => each[MEMBER] !== undefined)),
  drop(object) {
    for (const schema of schemasOf(object.spec)) {
      for (const each of allSchemas(schema)) delete each[MEMBER];
    }
  },
};

/** A member of rules that came after release 1.27. */
const laterMember = (name: string): GatedFields<CustomResourceDefinition> => ({
  feature: LATER,
  inUse: (stored) =>
    schemasOf(stored.spec).some((schema) =>
      hasSchema(schema, (each) => objectsAt(each, MEMBER).some((rule) => isThere(rule[name]))),
    ),
  drop(object) {
    for (const schema of schemasOf(object.spec))
      for (const each of allSchemas(schema)) for (const rule of objectsAt(each, MEMBER)) delete rule[name];
  },
});

/** Rules of CustomResourceDefinition. */
export const customResourceDefinition = ({ features }: KindSettings): KindDeclaration<CustomResourceDefinition> => ({
  resetFields: { status: [['metadata'], ['spec']] },
  freeFinalizers: true,
  generation: true,
  gatedFields: [
    expressions,
    ...['reason', 'fieldPath', 'optionalOldSelf'].map(laterMember),
    gatedMember('CustomResourceFieldSelectors', 'spec.versions[].selectableFields'),
  ],
  unconditionalUpdate: false,
  defaults(object) {
    const spec = ensureObject(object, 'spec');
    fill(spec, 'conversion', { strategy: 'None' });
    const names = ensureObject(spec, 'names');
    const kind = names.kind ?? '';
    if (kind) {
      fillZero(names, 'singular', kind.toLowerCase());
      fillZero(names, 'listKind', `${kind}List`);
    }
  },
  prepareForCreate(object) {
    const stored = (object.spec?.versions ?? []).find((version) => version.storage === true);
    ensureObject(object, 'status').storedVersions = stored ? [stored.name ?? ''] : [];
  },
  prepareForUpdate(object) {
    // A new storage version is recorded at once: objects may be stored in it from now on.
    const stored = (object.spec?.versions ?? []).find((version) => version.storage === true);
    const status = ensureObject(object, 'status');
    const before = Array.isArray(status.storedVersions) ? status.storedVersions : [];
    const name = stored?.name ?? '';
    if (name && !before.includes(name)) status.storedVersions = [...before, name];
    if (isEmpty(status.storedVersions)) delete status.storedVersions;
  },
  validate: validateDefinition,
  validateInSteps: ({ spec }, _names, old) => validateSchemas(spec, old?.spec, features.enabled(LATER)),
  validateCreate: (object) => validateApproval(object),
  validateStatus: validateDefinitionStatus,
  validateUpdate: validateDefinitionUpdate,
});

/** The declaration where custom kinds are served. */
export const servedDefinition = (settings: KindSettings): KindDeclaration<CustomResourceDefinition> => ({
  ...customResourceDefinition(settings),
  prepareForDelete(object, begins, names) {
    if (begins) beginTermination(object as ApiObject, names);
  },
});

import { type FieldError, forbiddenField, invalidValue, required } from '@orch/machinery';
import type { StatefulSet, StatefulSetSpec } from '@orch/schema/types/apps/v1';
import { podContext } from '../pods/kept-rules.js';
import type { PodContext } from '../pods/pod-context.js';
import { defaultTemplate } from '../pods/pod-spec.js';
import { validateTemplateMetadata } from '../pods/template-validation.js';
import { isOneOf, nonNegativeMembers } from '../rules/checks.js';
import { gatedMember } from '../rules/gated-fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { workloadScale } from '../rules/scale.js';
import type { KindSettings } from '../rules/settings.js';
import { equal } from '../values/equal.js';
import { ensureObject, fill, fillZero, isObject, type Json } from '../values/fields.js';
import { containersOf } from '../values/text.js';
import { claimWarnings } from '../warnings/amounts.js';
import { templateWarnings } from '../warnings/workloads.js';
import { validateStatefulSetStatus } from './status-validation.js';
import { validateStatefulSetStrategy } from './strategy-validation.js';
import { TEMPLATE_FIELDS } from './template-fields.js';
import { validateBesideSelector, validateLasting, validateSelector } from './workload-validation.js';

/** Members of the spec that may change. */
const MUTABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];
const OTHER_CHANGES = `updates to statefulset spec for fields other than ${MUTABLE.slice(0, -1)
  .map((name) => `'${name}'`)
  .join(', ')} and '${MUTABLE.at(-1)}' are forbidden`;
const RETENTION = ['Retain', 'Delete'];

const ofTemplate = templateWarnings<StatefulSet>('spec.template', ({ spec }) => spec?.template);

const volumeWarnings = (spec: StatefulSetSpec | undefined): string[] =>
  (spec?.volumeClaimTemplates ?? []).flatMap((claim, index) =>
    claimWarnings(claim.spec, `spec.volumeClaimTemplates[${index}]`),
  );

/** Rules of StatefulSet. */
export const statefulSet = (settings: KindSettings): KindDeclaration<StatefulSet> => ({
  generation: true,
  defaults(object) {
    const spec = ensureObject(object, 'spec');
    const strategy = ensureObject(spec, 'updateStrategy');
    if (!strategy.type) {
      strategy.type = 'RollingUpdate';
      ensureObject(strategy, 'rollingUpdate');
    }
    const rolling = strategy.rollingUpdate;
    if (strategy.type === 'RollingUpdate' && rolling) {
      fill(rolling, 'partition', 0);
      if (settings.features.enabled('MaxUnavailableStatefulSet')) fill(rolling, 'maxUnavailable', 1);
    }
    if (settings.features.enabled('StatefulSetAutoDeletePVC')) {
      const retention = ensureObject(spec, 'persistentVolumeClaimRetentionPolicy');
      fillZero(retention, 'whenDeleted', 'Retain');
      fillZero(retention, 'whenScaled', 'Retain');
    }
    for (const claim of spec.volumeClaimTemplates ?? []) {
      claim.apiVersion = 'v1';
      claim.kind = 'PersistentVolumeClaim';
    }
    defaultTemplate(spec);
  },
  gatedFields: [
    gatedMember('StatefulSetAutoDeletePVC', 'spec.persistentVolumeClaimRetentionPolicy'),
    gatedMember('MaxUnavailableStatefulSet', 'spec.updateStrategy.rollingUpdate.maxUnavailable'),
    gatedMember('StatefulSetStartOrdinal', 'spec.ordinals'),
    ...TEMPLATE_FIELDS,
  ],
  validate: ({ spec }, names, old) => validateStatefulSet(spec, podContext(names, settings, old?.spec?.template)),
  validateUpdate: ({ spec }, { spec: old }) =>
    equal(fixedPart(spec), fixedPart(old)) ? [] : [forbiddenField('spec', OTHER_CHANGES)],
  warnings: (object, names, old) => [...ofTemplate(object, names, old), ...volumeWarnings(object.spec)],
  validateStatus: (object, _names, old) => validateStatefulSetStatus(object, old),
  row: (object) => ({
    Ready: `${object.status?.readyReplicas ?? 0}/${object.spec?.replicas ?? 0}`,
    ...containersOf(object.spec?.template?.spec),
  }),
  scale: workloadScale,
});

/** The template's pod spec is not looked at: its mounts may be of claims that do not exist yet. */
function validateStatefulSet(spec: StatefulSetSpec | undefined, context: PodContext): FieldError[] {
  const policy = spec?.podManagementPolicy ?? '';
  const retention = spec?.persistentVolumeClaimRetentionPolicy;
  const known = policy === 'OrderedReady' || policy === 'Parallel';
  return [
    ...(policy === '' ? [required('spec.podManagementPolicy')] : []),
    ...(known || policy === ''
      ? []
      : [invalidValue('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'")]),
    ...validateStatefulSetStrategy(spec?.updateStrategy, 'spec.updateStrategy'),
    ...(['whenDeleted', 'whenScaled'] as const).flatMap((name) =>
      isOneOf(`spec.persistentVolumeClaimRetentionPolicy.${name}`, retention?.[name], RETENTION),
    ),
    ...nonNegativeMembers(spec, 'spec', ['replicas', 'minReadySeconds']),
    ...nonNegativeMembers(spec?.ordinals, 'spec.ordinals', ['start']),
    ...validateSelector(spec, 'statefulset'),
    ...validateBesideSelector(spec, '', () => validateTemplateMetadata(spec?.template, 'spec.template', context)),
    ...validateLasting(spec, 'StatefulSet'),
  ];
}

function fixedPart(spec: StatefulSetSpec | undefined): Json {
  const fixed: Json = { ...(isObject(spec) && spec) };
  for (const name of MUTABLE) delete fixed[name];
  return fixed;
}

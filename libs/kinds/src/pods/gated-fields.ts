import { type GatedFields, gatedMember } from '../rules/gated-fields.js';
import { isObject, type Json, mapAt, objectAt, objectsAt, textAt } from '../values/fields.js';
import { appArmorPrefix } from './annotation-validation.js';
import { allContainers } from './containers.js';

const appArmor: GatedFields = {
  feature: 'AppArmor',
  inUse: (stored, names) =>
    Object.keys(mapAt(stored, 'metadata', 'annotations')).some((key) => key.startsWith(appArmorPrefix(names))),
  drop({ metadata }, names) {
    const annotations = objectAt(metadata).annotations;
    if (!isObject(annotations)) return;
    for (const key of Object.keys(annotations)) if (key.startsWith(appArmorPrefix(names))) delete annotations[key];
  },
};

/** A field of every container. */
const ofContainers = (
  feature: GatedFields['feature'] & string,
  isUsed: (container: Json) => boolean,
  drop: (container: Json) => void,
): GatedFields => ({
  feature,
  inUse: (stored) => allContainers(objectAt(stored).spec).some(isUsed),
  drop({ spec }) {
    for (const container of allContainers(spec)) drop(container);
  },
});

const probes = ({ livenessProbe, startupProbe }: Json): Json[] => [livenessProbe, startupProbe].filter(isObject);

const probeGrace = ofContainers(
  'ProbeTerminationGracePeriod',
  (container) => probes(container).some((probe) => probe.terminationGracePeriodSeconds !== undefined),
  (container) => {
    for (const probe of probes(container)) delete probe.terminationGracePeriodSeconds;
  },
);

/** As the field was once written into every container, it is not taken away. */
const procMount = ofContainers(
  'ProcMountType',
  (container) => !['', 'Default'].includes(textAt(container, 'securityContext', 'procMount')),
  ({ securityContext: context }) => {
    if (isObject(context) && typeof context.procMount === 'string') context.procMount = 'Default';
  },
);

const resourceClaims: GatedFields = {
  feature: 'DynamicResourceAllocation',
  inUse: (stored) => objectsAt(stored, 'spec', 'resourceClaims').length > 0,
  drop({ spec }) {
    if (isObject(spec)) delete spec.resourceClaims;
    for (const { resources } of allContainers(spec)) if (isObject(resources)) delete resources.claims;
  },
};

/** A claim for storage cannot ask for claims. */
const claimsOfVolumes: GatedFields = {
  drop({ spec }) {
    for (const volume of objectsAt(spec, 'volumes')) {
      const { resources } = objectAt(volume, 'ephemeral', 'volumeClaimTemplate', 'spec');
      if (isObject(resources)) delete resources.claims;
    }
  },
};

const STATUSES = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'];

const resizing: GatedFields = {
  feature: 'InPlacePodVerticalScaling',
  inUse: (stored) =>
    objectsAt(stored, 'spec', 'containers').some((container) => objectsAt(container, 'resizePolicy').length > 0),
  drop({ spec, status }) {
    for (const container of allContainers(spec)) delete container.resizePolicy;
    if (!isObject(status)) return;
    delete status.resize;
    for (const each of STATUSES.flatMap((list) => objectsAt(status, list))) {
      delete each.allocatedResources;
      delete each.resources;
    }
  },
};

/** Of a pod, or of the template of a workload. */
export const POD_FIELDS: readonly GatedFields[] = [
  appArmor,
  probeGrace,
  gatedMember('UserNamespacesStatelessPodsSupport', 'spec.hostUsers'),
  gatedMember('PodSchedulingReadiness', 'spec.schedulingGates'),
  procMount,
  gatedMember('MinDomainsInPodTopologySpread', 'spec.topologySpreadConstraints[].minDomains'),
  gatedMember('NodeInclusionPolicyInPodTopologySpread', 'spec.topologySpreadConstraints[].nodeTaintsPolicy'),
  gatedMember('NodeInclusionPolicyInPodTopologySpread', 'spec.topologySpreadConstraints[].nodeAffinityPolicy'),
  gatedMember('MatchLabelKeysInPodTopologySpread', 'spec.topologySpreadConstraints[].matchLabelKeys'),
  resourceClaims,
  claimsOfVolumes,
  resizing,
];

import type { Pod, PodTemplateSpec, Probe, ResourceRequirements } from '@orch/schema/types/core/v1';
import { type GatedFields, gatedMember } from '../rules/gated-fields.js';
import { appArmorPrefix } from './annotation-validation.js';
import { type AnyContainer, allContainers } from './containers.js';

/** A pod, or the template of a workload, which has no status. */
type PodLike = PodTemplateSpec & Pick<Pod, 'status'>;

const appArmor: GatedFields<PodLike> = {
  feature: 'AppArmor',
  inUse: (stored, names) =>
    Object.keys(stored.metadata?.annotations ?? {}).some((key) => key.startsWith(appArmorPrefix(names))),
  drop({ metadata }, names) {
    const annotations = metadata?.annotations;
    if (!annotations) return;
    for (const key of Object.keys(annotations)) if (key.startsWith(appArmorPrefix(names))) delete annotations[key];
  },
};

/** A field of every container. */
const ofContainers = (
  feature: GatedFields['feature'] & string,
  isUsed: (container: AnyContainer) => boolean,
  drop: (container: AnyContainer) => void,
): GatedFields<PodLike> => ({
  feature,
  inUse: (stored) => allContainers(stored.spec).some(isUsed),
  drop({ spec }) {
    for (const container of allContainers(spec)) drop(container);
  },
});

const probes = ({ livenessProbe, startupProbe }: AnyContainer): Probe[] =>
  [livenessProbe, startupProbe].filter((probe) => probe !== undefined);

const probeGrace = ofContainers(
  'ProbeTerminationGracePeriod',
  (container) => probes(container).some((probe) => probe.terminationGracePeriodSeconds !== undefined),
  (container) => {
    for (const probe of probes(container)) delete probe.terminationGracePeriodSeconds;
  },
);

/** Resets the field to its default: it was once written into every container, so it is not taken away. */
const procMount = ofContainers(
  'ProcMountType',
  (container) => !['', 'Default'].includes(container.securityContext?.procMount ?? ''),
  ({ securityContext: context }) => {
    if (typeof context?.procMount === 'string') context.procMount = 'Default';
  },
);

const resourceClaims: GatedFields<PodLike> = {
  feature: 'DynamicResourceAllocation',
  inUse: (stored) => (stored.spec?.resourceClaims ?? []).length > 0,
  drop({ spec }) {
    delete spec?.resourceClaims;
    for (const { resources } of allContainers(spec)) if (resources) delete resources.claims;
  },
};

/** A claim for storage cannot ask for claims. */
const claimsOfVolumes: GatedFields<PodLike> = {
  drop({ spec }) {
    for (const { ephemeral } of spec?.volumes ?? []) {
      const resources: ResourceRequirements | undefined = ephemeral?.volumeClaimTemplate?.spec?.resources;
      delete resources?.claims;
    }
  },
};

const STATUSES = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;

const resizing: GatedFields<PodLike> = {
  feature: 'InPlacePodVerticalScaling',
  inUse: (stored) => (stored.spec?.containers ?? []).some((container) => (container.resizePolicy ?? []).length > 0),
  drop({ spec, status }) {
    for (const container of allContainers(spec)) delete container.resizePolicy;
    if (!status) return;
    delete status.resize;
    for (const each of STATUSES.flatMap((list) => status[list] ?? [])) {
      delete each.allocatedResources;
      delete each.resources;
    }
  },
};

/** The gated fields of a pod, or of the template of a workload. */
export const POD_FIELDS: readonly GatedFields<PodLike>[] = [
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

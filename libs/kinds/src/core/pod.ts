import { copy, type FieldError, type Names } from '@orch/machinery';
import type { Pod, PodStatus } from '@orch/schema/types/core/v1';
import { validateAnnotationsUpdate, validatePodAnnotations } from '../pods/annotation-validation.js';
import { validateEphemeralUpdate } from '../pods/ephemeral-update-validation.js';
import { POD_FIELDS } from '../pods/gated-fields.js';
import { podContext } from '../pods/kept-rules.js';
import { unifyAddresses } from '../pods/pod-addresses.js';
import { defaultPodSpec } from '../pods/pod-spec.js';
import { validatePodStatus } from '../pods/pod-status-validation.js';
import { summarizePod } from '../pods/pod-summary.js';
import { validatePodUpdate } from '../pods/pod-update-validation.js';
import { podSteps, validateNewPod } from '../pods/pod-validation.js';
import { defaultResizePolicies, proposeResize } from '../pods/resizing.js';
import { qosClass, requestsFromLimits } from '../pods/resources.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { keepDesired } from '../rules/separation.js';
import type { KindSettings } from '../rules/settings.js';
import { countOf, ensureObject, isEmpty, numberOf } from '../values/fields.js';
import { NONE, orNone } from '../values/text.js';
import { podWarnings } from '../warnings/pods.js';
import { hostNameWarnings } from '../warnings/workloads.js';

/** Returns the rules of Pod. */
export function pod(settings: KindSettings): KindDeclaration<Pod> {
  const resizes = settings.features.enabled('InPlacePodVerticalScaling');
  return {
    gatedFields: POD_FIELDS,
    resetFields: { status: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']] },
    defaults(object) {
      const spec = ensureObject(object, 'spec');
      requestsFromLimits(spec);
      if (resizes) defaultResizePolicies(spec);
      defaultPodSpec(spec);
      // No time at all is a second; of templates it stays as it is.
      if (countOf(spec.terminationGracePeriodSeconds) < 0) spec.terminationGracePeriodSeconds = 1;
      if (object.status) unifyAddresses(object.status);
    },
    validateInSteps: (object, names, old) => podSteps(object, podContext(names, settings, old)),
    validateCreate: (object, names) => validateNewPod(object, podContext(names, settings)),
    validateUpdate: (...step) => validateStep(settings, ...step),
    validateStatus: (object, _names, old) => validatePodStatus(object, old),
    // Programs change pods, people make them.
    warnings: (object, names, old) =>
      old ? [] : [...hostNameWarnings(object, "the Pod's hostname"), ...podWarnings(object, '', names)],
    prepareForUpdate(object, old) {
      if (resizes) proposeResize(object, old);
    },
    prepareForCreate(object) {
      object.status = { phase: 'Pending', ...gatedCondition(object), qosClass: qosClass(object.spec) };
    },
    subresources: {
      // The server itself makes all of the change.
      binding: () => undefined,
      status(object, old) {
        keepDesired(object, old);
        const metadata = ensureObject(object, 'metadata');
        metadata.ownerReferences = copy(old.metadata?.ownerReferences);
        const quality = old.status?.qosClass ?? '';
        if (quality !== '') ensureObject(object, 'status').qosClass = quality;
      },
      ephemeralcontainers(object, old) {
        const added = object.spec?.ephemeralContainers;
        const { metadata = {} } = object;
        keepDesired(object, old);
        const { resourceVersion, managedFields } = metadata;
        object.metadata = { ...copy(old.metadata), resourceVersion, managedFields };
        object.status = copy(old.status);
        const spec = ensureObject(object, 'spec');
        if (added === undefined) delete spec.ephemeralContainers;
        else spec.ephemeralContainers = added;
      },
    },
    row(object, now) {
      const { ready, status, restarts } = summarizePod(object, now);
      return {
        Ready: ready,
        Status: status,
        Restarts: restarts,
        IP: orNone(podIPs(object)[0] ?? ''),
        Node: orNone(object.spec?.nodeName ?? ''),
        'Nominated Node': orNone(object.status?.nominatedNodeName ?? ''),
        'Readiness Gates': readinessGates(object),
      };
    },
    selectableFields: {
      'spec.nodeName': (object) => object.spec?.nodeName ?? '',
      'spec.restartPolicy': (object) => object.spec?.restartPolicy ?? '',
      'spec.schedulerName': (object) => object.spec?.schedulerName ?? '',
      'spec.serviceAccountName': (object) => object.spec?.serviceAccountName ?? '',
      'spec.hostNetwork': (object) => String(object.spec?.hostNetwork === true),
      'status.phase': (object) => object.status?.phase ?? '',
      'status.podIP': (object) => podIPs(object)[0] ?? '',
      'status.podIPs': (object) => podIPs(object)[0] ?? '',
      'status.nominatedNodeName': (object) => object.status?.nominatedNodeName ?? '',
    },
    gracePeriod(object, requested) {
      const ended = ['Succeeded', 'Failed'].includes(object.status?.phase ?? '');
      if (ended || (object.spec?.nodeName ?? '') === '') return 0;
      const seconds = requested ?? numberOf(object.spec?.terminationGracePeriodSeconds) ?? 0;
      return seconds < 0 ? 1 : seconds;
    },
  };
}

/** Checks an update by the subresource through which it comes. */
function validateStep(settings: KindSettings, object: Pod, old: Pod, names: Names, subresource: string): FieldError[] {
  const annotations = [
    ...validateAnnotationsUpdate(object, old, 'metadata.annotations', names),
    ...validatePodAnnotations(object, 'metadata.annotations', podContext(names, settings, old)),
  ];
  if (subresource === 'ephemeralcontainers') return [...annotations, ...validateEphemeralUpdate(object, old, names)];
  return [...annotations, ...validatePodUpdate(object.spec, old.spec, settings.features)];
}

function podIPs(object: Pod): string[] {
  const addresses = (object.status?.podIPs ?? []).map((entry) => entry.ip ?? '');
  const first = object.status?.podIP ?? '';
  return addresses.length > 0 || first === '' ? addresses : [first];
}

/** How many of the pod's readiness gates are met. */
function readinessGates(object: Pod): string {
  const gates = (object.spec?.readinessGates ?? []).map((gate) => gate.conditionType);
  if (gates.length === 0) return NONE;
  const met = new Set(
    (object.status?.conditions ?? [])
      .filter((condition) => condition.status === 'True')
      .map((condition) => condition.type),
  );
  return `${gates.filter((gate) => met.has(gate)).length}/${gates.length}`;
}

/** Returns the condition of a new pod with scheduling gates. */
function gatedCondition(object: Pod): PodStatus {
  if (isEmpty(object.spec?.schedulingGates)) return {};
  return {
    conditions: [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      },
    ],
  };
}

import {
  addressErrors,
  dnsSubdomainErrors,
  duplicate,
  type FieldError,
  familyOf,
  forbiddenField,
  invalidValue,
  qualifiedNameErrors,
} from '@orch/machinery';
import type { ContainerStatus, Pod, PodIP, PodStatus } from '@orch/schema/types/core/v1';
import { invalidEach } from '../rules/checks.js';
import { shownPodIP, shownPodIPs } from './shown-values.js';

/** Lists of container statuses. */
type StatusList = 'containerStatuses' | 'initContainerStatuses' | 'ephemeralContainerStatuses';

const OWN_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized'];

/** Checks the status of a pod, and the step from the status before. */
export function validatePodStatus({ status }: Pod, old: Pod): FieldError[] {
  const restarts = old.spec?.restartPolicy ?? '';
  const ended = (list: StatusList, policy: string) =>
    validateContainerStates(status?.[list] ?? [], old.status?.[list] ?? [], `status.${list}`, policy);
  return [
    ...validateConditions(status),
    ...validateNomination(status, old.status),
    ...ended('containerStatuses', restarts),
    ...ended('initContainerStatuses', restarts),
    // Ephemeral containers are never restarted, whatever the restart policy of the pod.
    ...ended('ephemeralContainerStatuses', 'Never'),
    ...validateAddresses(status?.podIPs ?? [], 'status.podIPs'),
  ];
}

/** Checks the types of conditions; the path of errors is that of the reference. */
const validateConditions = (status: PodStatus | undefined): FieldError[] =>
  (status?.conditions ?? []).flatMap((condition, index) => {
    const type = condition.type ?? '';
    if (OWN_CONDITIONS.includes(type)) return [];
    return invalidEach(`metadata.conditions[${index}].Type`, type, qualifiedNameErrors(type));
  });

function validateNomination(status: PodStatus | undefined, old: PodStatus | undefined): FieldError[] {
  const node = status?.nominatedNodeName ?? '';
  if (node === '' || node === (old?.nominatedNodeName ?? '')) return [];
  return invalidEach('status.nominatedNodeName', node, dnsSubdomainErrors(node));
}

/** A container that has ended for good does not live again. */
function validateContainerStates(
  after: readonly ContainerStatus[],
  before: readonly ContainerStatus[],
  path: string,
  restartPolicy: string,
): FieldError[] {
  if (restartPolicy === 'Always' || before.length === 0) return [];
  const alive = new Set(after.filter((each) => !hasEnded(each)).map((each) => each.name ?? ''));
  return before.flatMap((each, index) => {
    const mayRestart = restartPolicy === 'OnFailure' && (each.state?.terminated?.exitCode ?? 0) !== 0;
    if (!hasEnded(each) || mayRestart || !alive.has(each.name ?? '')) return [];
    return [forbiddenField(`${path}[${index}].state`, 'may not be transitioned to non-terminated state')];
  });
}

const hasEnded = (status: ContainerStatus): boolean => status.state?.terminated !== undefined;

/** Checks that there is at most one address of each family. */
function validateAddresses(addresses: readonly PodIP[], path: string): FieldError[] {
  const texts = addresses.map((address) => address.ip ?? '');
  const errors = texts.flatMap((text, index) => invalidEach(`${path}[${index}]`, text, addressErrors(text)));
  if (texts.length < 2) return errors;
  const families = new Set(texts.map(familyOf));
  if (families.size !== 2 || families.has(undefined) || texts.length > 2) {
    errors.push(invalidValue(path, shownPodIPs(addresses), 'may specify no more than one IP for each IP family'));
  }
  const seen = new Set<string>();
  addresses.forEach((address, index) => {
    const text = address.ip ?? '';
    if (seen.has(text)) errors.push(duplicate(`${path}[${index}]`, shownPodIP(address)));
    seen.add(text);
  });
  return errors;
}

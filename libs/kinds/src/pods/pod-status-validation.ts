import {
  type ApiObject,
  addressErrors,
  dnsSubdomainErrors,
  duplicate,
  type FieldError,
  familyOf,
  forbiddenField,
  invalidValue,
  qualifiedNameErrors,
} from '@orch/machinery';
import { invalidEach } from '../rules/checks.js';
import { countAt, isObject, type Json, objectAt, objectsAt, textAt } from '../values/fields.js';
import { shownPodIP, shownPodIPs } from './shown-values.js';

const OWN_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized'];

/** What is reported of a pod: what can be, and what can have become of what was reported before. */
export function validatePodStatus({ status }: ApiObject, old: ApiObject): FieldError[] {
  const restarts = textAt(old.spec, 'restartPolicy');
  const ended = (list: string, policy: string) =>
    validateContainerStates(objectsAt(status, list), objectsAt(old.status, list), `status.${list}`, policy);
  return [
    ...validateConditions(status),
    ...validateNomination(status, old.status),
    ...ended('containerStatuses', restarts),
    ...ended('initContainerStatuses', restarts),
    // Nobody starts these again, whatever the pod says.
    ...ended('ephemeralContainerStatuses', 'Never'),
    ...validateAddresses(objectsAt(status, 'podIPs'), 'status.podIPs'),
  ];
}

/** Where the reference tells these. */
const validateConditions = (status: unknown): FieldError[] =>
  objectsAt(status, 'conditions').flatMap((condition, index) => {
    const type = textAt(condition, 'type');
    if (OWN_CONDITIONS.includes(type)) return [];
    return invalidEach(`metadata.conditions[${index}].Type`, type, qualifiedNameErrors(type));
  });

function validateNomination(status: unknown, old: unknown): FieldError[] {
  const node = textAt(status, 'nominatedNodeName');
  if (node === '' || node === textAt(old, 'nominatedNodeName')) return [];
  return invalidEach('status.nominatedNodeName', node, dnsSubdomainErrors(node));
}

/** A container that has ended for good does not live again. */
function validateContainerStates(
  after: readonly Json[],
  before: readonly Json[],
  path: string,
  restartPolicy: string,
): FieldError[] {
  if (restartPolicy === 'Always' || before.length === 0) return [];
  const alive = new Set(after.filter((each) => !hasEnded(each)).map((each) => textAt(each, 'name')));
  return before.flatMap((each, index) => {
    const mayRestart = restartPolicy === 'OnFailure' && countAt(each, 'state', 'terminated', 'exitCode') !== 0;
    if (!hasEnded(each) || mayRestart || !alive.has(textAt(each, 'name'))) return [];
    return [forbiddenField(`${path}[${index}].state`, 'may not be transitioned to non-terminated state')];
  });
}

const hasEnded = (status: Json): boolean => isObject(objectAt(status, 'state').terminated);

/** One address of each family. */
function validateAddresses(addresses: readonly Json[], path: string): FieldError[] {
  const texts = addresses.map((address) => textAt(address, 'ip'));
  const errors = texts.flatMap((text, index) => invalidEach(`${path}[${index}]`, text, addressErrors(text)));
  if (texts.length < 2) return errors;
  const families = new Set(texts.map(familyOf));
  if (families.size !== 2 || families.has(undefined) || texts.length > 2) {
    errors.push(invalidValue(path, shownPodIPs(addresses), 'may specify no more than one IP for each IP family'));
  }
  const seen = new Set<string>();
  addresses.forEach((address, index) => {
    const text = textAt(address, 'ip');
    if (seen.has(text)) errors.push(duplicate(`${path}[${index}]`, shownPodIP(address)));
    seen.add(text);
  });
  return errors;
}

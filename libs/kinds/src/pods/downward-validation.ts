import { type FieldError, invalidValue, notSupported, qualifiedNameErrors, required } from '@orch/machinery';
import type { ObjectFieldSelector, ResourceFieldSelector } from '@orch/schema/types/core/v1';
import { invalidEach, quantityOf } from '../rules/checks.js';

/** Fields of a pod that a variable may take its value from. */
export const VARIABLE_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.podIP',
  'status.podIPs',
];
/** Fields of a pod that may become files. */
export const FILE_FIELDS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];
/** All known fields; a second check tests whether a field is allowed at its place. */
const KNOWN_FIELDS = new Set([...VARIABLE_FIELDS, ...FILE_FIELDS]);
for (const field of ['spec.restartPolicy', 'spec.schedulerName', 'status.phase']) KNOWN_FIELDS.add(field);
/** Members whose single entries can be selected: `metadata.labels['key']`. */
const MAPS = ['metadata.annotations', 'metadata.labels'];

const RESOURCES = ['cpu', 'ephemeral-storage', 'memory'];
const RESOURCE_FIELDS = ['limits', 'requests'].flatMap((list) => RESOURCES.map((name) => `${list}.${name}`));
const HUGE_PAGES = /^(limits|requests)\.hugepages-/;
const SIZES = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];
const DIVISORS: Readonly<Record<string, { readonly values: readonly string[]; readonly text: string }>> = {
  cpu: { values: ['1m', '1'], text: "only divisor's values 1m and 1 are supported with the cpu resource" },
  memory: { values: SIZES, text: sizesOnly('memory') },
  'ephemeral-storage': { values: SIZES, text: sizesOnly('local ephemeral storage') },
  hugepages: { values: SIZES, text: sizesOnly('hugepages') },
};

function sizesOnly(resource: string): string {
  return `only divisor's values ${SIZES.join(', ')} are supported with the ${resource} resource`;
}

/** A field of the pod that holds the value; `usable` are those that can stand here. */
export function validateFieldRef(
  reference: ObjectFieldSelector | undefined,
  path: string,
  usable: readonly string[],
): FieldError[] {
  const [version, given] = [reference?.apiVersion ?? '', reference?.fieldPath ?? ''];
  if (version === '') return [required(`${path}.apiVersion`)];
  if (given === '') return [required(`${path}.fieldPath`)];
  const entry = entryOf(given);
  const unknown = unknownField(version, given, entry);
  if (unknown !== undefined) {
    return [invalidValue(`${path}.fieldPath`, given, `error converting fieldPath: ${unknown}`)];
  }
  if (entry) {
    const key = entry.map === 'metadata.annotations' ? entry.key.toLowerCase() : entry.key;
    return invalidEach(path, key, qualifiedNameErrors(key));
  }
  // As the first clients called it.
  const field = given === 'spec.host' ? 'spec.nodeName' : given;
  return usable.includes(field) ? [] : [notSupported(`${path}.fieldPath`, field, usable)];
}

/** The parts of `map['key']`; undefined for what has no such form. */
function entryOf(field: string): { map: string; key: string } | undefined {
  if (!field.endsWith("']")) return undefined;
  const start = field.indexOf("['");
  return start > 0 ? { map: field.slice(0, start), key: field.slice(start + 2, -2) } : undefined;
}

function unknownField(version: string, field: string, entry: { map: string } | undefined): string | undefined {
  if (version !== 'v1') return `unsupported pod version: ${version}`;
  if (entry) return MAPS.includes(entry.map) ? undefined : `field label does not support subscript: ${field}`;
  return KNOWN_FIELDS.has(field) || field === 'spec.host' ? undefined : `field label not supported: ${field}`;
}

/** An amount of a container that holds the value. A file belongs to no container, so it must name one. */
export function validateResourceFieldRef(
  reference: ResourceFieldSelector | undefined,
  path: string,
  inFile: boolean,
): FieldError[] {
  const resource = reference?.resource ?? '';
  const errors: FieldError[] = [];
  if (inFile && (reference?.containerName ?? '') === '') errors.push(required(`${path}.containerName`));
  else if (resource === '') errors.push(required(`${path}.resource`));
  else if (!RESOURCE_FIELDS.includes(resource) && !HUGE_PAGES.test(resource)) {
    errors.push(notSupported(`${path}.resource`, resource, RESOURCE_FIELDS));
  }
  return [...errors, ...validateDivisor(resource, reference?.divisor ?? '', `${path}.divisor`)];
}

function validateDivisor(resource: string, divisor: string, field: string): FieldError[] {
  const amount = quantityOf(divisor || '0');
  if (!amount || amount.nanos === 0n) return [];
  const name = HUGE_PAGES.test(resource) ? 'hugepages' : resource.slice(resource.indexOf('.') + 1);
  const allowed = HUGE_PAGES.test(resource) || RESOURCE_FIELDS.includes(resource) ? DIVISORS[name] : undefined;
  if (!allowed || allowed.values.includes(amount.toString())) return [];
  return [invalidValue(field, resource, allowed.text)];
}

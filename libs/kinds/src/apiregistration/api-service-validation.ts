import {
  dns1035LabelErrors,
  dnsSubdomainErrors,
  type FieldError,
  invalidValue,
  notSupported,
  pathSegmentErrors,
  required,
} from '@orch/machinery';
import type { APIService, APIServiceSpec, ServiceReference } from '@orch/schema/types/apiregistration/v1';
import { invalidEach, portNumberErrors } from '../rules/checks.js';
import { each } from '../rules/lists.js';

const MAX_GROUP_PRIORITY = 20_000;
const MAX_VERSION_PRIORITY = 1000;
const DEFAULT_PORT = 443;
const STATUSES = ['True', 'False', 'Unknown'];

/** Checks an APIService: a version of a group, and the service that serves it. */
export function validateService({ metadata, spec }: APIService): FieldError[] {
  const [group, version] = [spec?.group ?? '', spec?.version ?? ''];
  const [groups, versions] = [spec?.groupPriorityMinimum ?? 0, spec?.versionPriority ?? 0];
  const service = spec?.service;
  const core = 'only v1 may have an empty group and it better be legacy kube';
  return [
    ...validateName(metadata?.name ?? '', `${version}.${group}`),
    ...(group === '' && version !== 'v1' ? [required('spec.group', core)] : []),
    ...(group === '' ? [] : invalidEach('spec.group', group, dnsSubdomainErrors(group))),
    ...invalidEach('spec.version', version, dns1035LabelErrors(version)),
    ...between('spec.groupPriorityMinimum', groups, MAX_GROUP_PRIORITY),
    ...between('spec.versionPriority', versions, MAX_VERSION_PRIORITY),
    ...(service ? validateRemote(service, spec) : validateLocal(spec)),
  ];
}

/** Checks the name; one that is no path segment has already been refused for that. */
function validateName(name: string, expected: string): FieldError[] {
  if (name === expected || pathSegmentErrors(name).length > 0) return [];
  return [invalidValue('metadata.name', name, `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(expected)}`)];
}

const between = (field: string, value: number, most: number): FieldError[] =>
  value > 0 && value <= most ? [] : [invalidValue(field, value, `must be positive and less than ${most}`)];

const bundleBytes = (spec: APIServiceSpec | undefined): number => Buffer.byteLength(spec?.caBundle ?? '', 'base64');

function validateLocal(spec: APIServiceSpec | undefined): FieldError[] {
  const bytes = bundleBytes(spec);
  const insecure = spec?.insecureSkipTLSVerify === true;
  const local = 'local APIServices may not have';
  return [
    ...(bytes > 0 ? [invalidValue('spec.caBundle', `${bytes} bytes`, `${local} a caBundle`)] : []),
    ...(insecure ? [invalidValue('spec.insecureSkipTLSVerify', true, `${local} insecureSkipTLSVerify`)] : []),
  ];
}

function validateRemote(service: ServiceReference, spec: APIServiceSpec | undefined): FieldError[] {
  const port = service.port ?? DEFAULT_PORT;
  const wrong = portNumberErrors(port);
  const insecure = spec?.insecureSkipTLSVerify === true && bundleBytes(spec) > 0;
  return [
    ...(['namespace', 'name'] as const).flatMap((name) =>
      (service[name] ?? '') === '' ? [required(`spec.service.${name}`)] : [],
    ),
    ...(wrong.length > 0 ? [invalidValue('spec.service.port', port, `port is not valid: ${wrong.join(', ')}`)] : []),
    ...(insecure ? [invalidValue('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present')] : []),
  ];
}

/** Checks the conditions of an APIService. */
export const validateServiceStatus = ({ status }: APIService): FieldError[] =>
  each(status?.conditions ?? [], 'status.conditions', (condition, path) => {
    const value = condition.status ?? '';
    return STATUSES.includes(value) ? [] : [notSupported(`${path}.status`, value, STATUSES)];
  });

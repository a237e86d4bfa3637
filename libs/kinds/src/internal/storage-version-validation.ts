import {
  dns1035LabelErrors,
  dnsSubdomainErrors,
  type FieldError,
  formText,
  invalidValue,
  qualifiedNameErrors,
  required,
} from '@orch/machinery';
import type {
  ServerStorageVersion,
  StorageVersion,
  StorageVersionCondition,
} from '@orch/schema/types/apiserverinternal/v1alpha1';
import { invalidEach } from '../rules/checks.js';
import { each } from '../rules/lists.js';
import { shownStrings } from '../values/go-syntax.js';

const FORM = `an apiVersion is ${formText(
  "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  '[a-z]([-a-z0-9]*[a-z0-9])?',
  'my-name',
  'abc-123',
)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')`;
const COMMON = 'status.commonEncodingVersion';

/** The name is `<group>.<resource>`. */
export function validateStorageVersionName({ metadata }: StorageVersion): FieldError[] {
  const name = metadata?.name ?? '';
  const dot = name.lastIndexOf('.');
  if (dot < 0) return [invalidValue('metadata.name', name, 'name must be in the form of <group>.<resource>')];
  return invalidEach('metadata.name', name, [
    ...dnsSubdomainErrors(name.slice(0, dot)).map((text) => `the group segment ${text}`),
    ...dns1035LabelErrors(name.slice(dot + 1)).map((text) => `the resource segment ${text}`),
  ]);
}

/** Checks what servers read and write, and whether they agree. */
export function validateStorageVersionStatus({ status }: StorageVersion): FieldError[] {
  const servers = status?.storageVersions ?? [];
  return [
    ...each(servers, 'status.storageVersions', validateServer),
    ...validateCommon(servers, status?.commonEncodingVersion),
    ...validateConditions(status?.conditions ?? []),
  ];
}

function validateServer(server: ServerStorageVersion, path: string): FieldError[] {
  const [id, written] = [server.apiServerID ?? '', server.encodingVersion ?? ''];
  const read = server.decodableVersions ?? [];
  const field = `${path}.decodableVersions`;
  return [
    ...invalidEach(`${path}.apiServerID`, id, dnsSubdomainErrors(id)),
    ...validateVersion(written, `${path}.encodingVersion`),
    ...each(read, field, validateVersion),
    ...(read.includes(written)
      ? []
      : [invalidValue(field, shownStrings(read), `decodableVersions must include encodingVersion ${written}`)]),
  ];
}

function validateVersion(text: string, field: string): FieldError[] {
  const errors = versionErrors(text);
  return errors.length > 0 ? [invalidValue(field, text, errors.join(','))] : [];
}

function versionErrors(text: string): string[] {
  const parts = text.split('/');
  if (parts.length > 2) return [FORM];
  const part = (name: string, value: string, check: (value: string) => string[]) =>
    (value === '' ? ['must be non-empty'] : check(value)).map((error) => `${name} part: ${error}`);
  return [
    ...(parts.length === 2 ? part('group', parts[0] ?? '', dnsSubdomainErrors) : []),
    ...part('version', parts.at(-1) ?? '', dns1035LabelErrors),
  ];
}

function validateCommon(servers: readonly ServerStorageVersion[], reported: string | undefined): FieldError[] {
  const first = servers[0]?.encodingVersion ?? '';
  const agree = servers.length > 0 && servers.every((server) => (server.encodingVersion ?? '') === first);
  if (!agree) {
    const text =
      'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet';
    return typeof reported === 'string' ? [invalidValue(COMMON, reported, text)] : [];
  }
  if (typeof reported !== 'string') return [invalidValue(COMMON, null, `the common encoding version is ${first}`)];
  return reported === first ? [] : [invalidValue(COMMON, reported, `the actual common encoding version is ${first}`)];
}

/** Errors stand at the status itself, as clients know them. */
function validateConditions(conditions: readonly StorageVersionCondition[]): FieldError[] {
  const places = new Map<string, number>();
  return each(conditions, 'status', (condition, path) => {
    const [type, status] = [condition.type ?? '', condition.status ?? ''];
    const before = places.get(type);
    places.set(type, places.size);
    const text = `the type of the condition is not unique, it also appears in conditions[${before}]`;
    return [
      ...(before === undefined ? [] : [invalidValue(`${path}.type`, type, text)]),
      ...invalidEach(`${path}.type`, type, qualifiedNameErrors(type)),
      ...invalidEach(`${path}.status`, status, qualifiedNameErrors(status)),
      ...(['reason', 'message'] as const).flatMap((name) =>
        (condition[name] ?? '') === '' ? [required(`${path}.${name}`, `${name} cannot be empty`)] : [],
      ),
    ];
  });
}

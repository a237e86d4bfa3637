import { type FieldError, invalidValue, type Names, qualifiedNameErrors } from '@orch/machinery';
import type { ExtenderConfiguration, ExtenderTls } from './configuration.js';
import type { StrictFields } from './strict-fields.js';

const DEFAULT_TIMEOUT_MS = 5_000;
/** RFC 4648, 4, with required padding. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const QUOTA_PREFIX = 'requests.';

/** Reads an extender. @throws Error for wrong types */
export const extenderFields = (fields: StrictFields): ExtenderConfiguration => ({
  urlPrefix: fields.text('urlPrefix'),
  filterVerb: fields.text('filterVerb'),
  preemptVerb: fields.text('preemptVerb'),
  prioritizeVerb: fields.text('prioritizeVerb'),
  bindVerb: fields.text('bindVerb'),
  weight: fields.integer('weight') ?? 0,
  enableHTTPS: fields.flag('enableHTTPS') ?? false,
  tlsConfig: fields.object('tlsConfig', tlsFields),
  timeoutMs: fields.durationMs('httpTimeout') || DEFAULT_TIMEOUT_MS,
  nodeCacheCapable: fields.flag('nodeCacheCapable') ?? false,
  managedResources:
    fields.objects('managedResources', (each) => ({
      name: each.text('name'),
      ignoredByScheduler: each.flag('ignoredByScheduler') ?? false,
    })) ?? [],
  ignorable: fields.flag('ignorable') ?? false,
});

const tlsFields = (fields: StrictFields): ExtenderTls => ({
  insecure: fields.flag('insecure') ?? false,
  serverName: fields.text('serverName'),
  certFile: fields.text('certFile'),
  keyFile: fields.text('keyFile'),
  caFile: fields.text('caFile'),
  certData: base64Of(fields, 'certData'),
  keyData: base64Of(fields, 'keyData'),
  caData: base64Of(fields, 'caData'),
});

/** The message never has any part of the text: it may be a key. */
function base64Of(fields: StrictFields, name: string): string {
  const text = fields.text(name).replace(/[\r\n]/g, '');
  if (!BASE64.test(text)) throw new Error(`${fields.at(name)} must be base64`);
  return text;
}

/** Validates all extenders, with the messages of the reference. */
export function extendersErrors(extenders: readonly ExtenderConfiguration[], names: Names): FieldError[] {
  const managed = new Set<string>();
  const binders = extenders.filter(({ bindVerb }) => bindVerb !== '').length;
  const found = `found ${binders} extenders implementing bind`;
  return [
    ...extenders.flatMap((each, i) => extenderErrors(each, `extenders[${i}]`, managed, names)),
    ...(binders > 1 ? [invalidValue('extenders', found, 'only one extender can implement bind')] : []),
  ];
}

function extenderErrors(
  { urlPrefix, prioritizeVerb, weight, managedResources, timeoutMs }: ExtenderConfiguration,
  at: string,
  managed: Set<string>,
  names: Names,
): FieldError[] {
  const isUrl = URL.canParse(urlPrefix) && /^https?:/.test(urlPrefix);
  return [
    ...(isUrl ? [] : [invalidValue(`${at}.urlPrefix`, urlPrefix, 'must be an http or https URL')]),
    ...(timeoutMs < 0 ? [invalidValue(`${at}.httpTimeout`, timeoutMs / 1_000, 'must not be negative')] : []),
    ...(prioritizeVerb !== '' && weight <= 0
      ? [invalidValue(`${at}.weight`, weight, 'must have a positive weight applied to it')]
      : []),
    ...managedResources.flatMap(({ name }, i) => {
      const nameAt = `${at}.managedResources[${i}].name`;
      const repeated = managed.has(name)
        ? [invalidValue(nameAt, name, 'duplicate extender managed resource name')]
        : [];
      managed.add(name);
      return [...extendedResourceErrors(name, nameAt, names), ...repeated];
    }),
  ];
}

function extendedResourceErrors(name: string, at: string, names: Names): FieldError[] {
  const errors = qualifiedNameErrors(name);
  if (errors.length > 0) return errors.map((detail) => invalidValue(at, name, detail));
  const isNative = !name.includes('/') || name.includes(names.key('orch.io/'));
  const isExtended =
    !isNative && !name.startsWith(QUOTA_PREFIX) && qualifiedNameErrors(`${QUOTA_PREFIX}${name}`).length === 0;
  return isExtended ? [] : [invalidValue(at, name, 'is an invalid extended resource name')];
}

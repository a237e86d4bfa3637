import { X509Certificate } from 'node:crypto';
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  type Names,
  notSupported,
  required,
} from '@orch/machinery';
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '@orch/schema/types/certificates/v1';
import { each, refuseRepeated } from '../rules/lists.js';
import { equal } from '../values/equal.js';
import { pemBlocks } from './pem.js';
import { requestError } from './request-signature.js';
import { validateSignerName } from './signer-name.js';

const SHORTEST_SECONDS = 600;
/** The usages that a certificate can have, in the order of their names. */
const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];
/** Conditions that decide, of which a request has one at most. */
export const DECISIONS = ['Approved', 'Denied'];
/** Conditions that are true or are not there, and that stay. */
const LASTING = [...DECISIONS, 'Failed'];
const STATUSES = ['False', 'True', 'Unknown'];
const CONDITIONS = 'status.conditions';
const CERTIFICATE = 'status.certificate';

/** Checks what the request asks for. */
export function validateRequest({ spec }: CertificateSigningRequest, names: Names): FieldError[] {
  const usages = spec?.usages ?? [];
  const seconds = spec?.expirationSeconds;
  const wrong = requestError(Buffer.from(spec?.request ?? '', 'base64').toString('latin1'));
  const short = 'may not specify a duration less than 600 seconds (10 minutes)';
  return [
    ...(wrong === undefined ? [] : [invalidValue('spec.request', '<bytes>', wrong)]),
    ...(usages.length === 0 ? [required('spec.usages')] : []),
    ...each(usages, 'spec.usages', (usage, path) =>
      USAGES.includes(usage) ? [] : [notSupported(path, usage, USAGES)],
    ),
    ...refuseRepeated(usages, 'spec.usages'),
    ...validateSigner(spec?.signerName ?? '', names),
    ...(seconds !== undefined && seconds < SHORTEST_SECONDS
      ? [invalidValue('spec.expirationSeconds', seconds, short)]
      : []),
  ];
}

function validateSigner(name: string, names: Names): FieldError[] {
  const field = 'spec.signerName';
  if (name !== names.key('orch.io/legacy-unknown')) return validateSignerName(name, field);
  return [invalidValue(field, name, 'the legacy signerName is not allowed via this API version')];
}

type Conditions = readonly CertificateSigningRequestCondition[];

/** Checks what was decided and issued, through `approval` or `status`. What was wrong before may stay so. */
export function validateRequestStatus(
  object: CertificateSigningRequest,
  old: CertificateSigningRequest,
  subresource: string,
): FieldError[] {
  const [conditions, before]: [Conditions, Conditions] = [
    object.status?.conditions ?? [],
    old.status?.conditions ?? [],
  ];
  return [
    ...validateConditions(conditions, before),
    ...LASTING.flatMap((type) => validateStep(type, conditions, before, subresource === 'approval')),
    ...validateCertificate(object.status?.certificate ?? '', old.status?.certificate ?? ''),
  ];
}

function validateConditions(conditions: Conditions, before: Conditions): FieldError[] {
  const typesBefore = before.map((condition) => condition.type ?? '');
  const mayRepeat = new Set(typesBefore).size < typesBefore.length;
  const mayContradict = DECISIONS.every((type) => typesBefore.includes(type));
  const seen = new Set<string>();
  return each(conditions, CONDITIONS, (condition, path) => {
    const type = condition.type ?? '';
    const contradicts = DECISIONS.includes(type) && DECISIONS.some((other) => other !== type && seen.has(other));
    const again = seen.has(type) && !mayRepeat;
    seen.add(type);
    const text = 'Approved and Denied conditions are mutually exclusive';
    return [
      ...(type === '' && !typesBefore.includes('') ? [required(`${path}.type`)] : []),
      ...validateStatus(condition.status ?? '', `${path}.status`, type),
      ...(contradicts && !mayContradict ? [invalidValue(`${path}.type`, type, text)] : []),
      ...(again ? [duplicate(`${path}.type`, type)] : []),
    ];
  });
}

function validateStatus(status: string, field: string, type: string): FieldError[] {
  if (status === '') return [required(field)];
  const known = LASTING.includes(type) ? ['True'] : STATUSES;
  return known.includes(status) ? [] : [notSupported(field, status, known)];
}

/** Conditions that last are not taken away, and decisions are made through `approval` only. */
function validateStep(type: string, conditions: Conditions, before: Conditions, decides: boolean): FieldError[] {
  const ofType = (list: Conditions) => list.filter((condition) => condition.type === type);
  const [now, was] = [ofType(conditions), ofType(before)];
  const refuse = (what: string) => [
    forbiddenField(CONDITIONS, `updates may not ${what} a condition of type "${type}"`),
  ];
  if (now.length < was.length) return refuse('remove');
  if (decides || !DECISIONS.includes(type)) return [];
  if (now.length > was.length) return refuse('add');
  return equal(now, was) ? [] : refuse('modify');
}

/** A certificate is issued once. */
function validateCertificate(now: string, was: string): FieldError[] {
  if (now === was) return [];
  const wrong = certificateError(now);
  const tolerated = certificateError(was) !== undefined;
  return [
    ...(wrong === undefined || tolerated ? [] : [invalidValue(CERTIFICATE, '<certificate data>', wrong)]),
    ...(was === '' ? [] : [forbiddenField(CERTIFICATE, 'updates may not modify existing certificate content')]),
  ];
}

function certificateError(base64: string): string | undefined {
  if (base64 === '') return undefined;
  let found = false;
  for (const { type, hasHeaders, bytes } of pemBlocks(Buffer.from(base64, 'base64').toString('latin1'))) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (hasHeaders) return 'no PEM block headers are permitted';
    if (!parses(bytes)) return 'x509: malformed certificate';
    found = true;
  }
  return found ? undefined : 'must contain at least one CERTIFICATE PEM block';
}

function parses(bytes: Buffer): boolean {
  try {
    return new X509Certificate(bytes).raw.length > 0;
  } catch {
    return false;
  }
}

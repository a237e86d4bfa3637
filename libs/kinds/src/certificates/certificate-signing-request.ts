import {
  type ApiObject,
  copy,
  duplicate,
  type FieldError,
  invalidValue,
  type Names,
  notSupported,
  required,
} from '@orch/machinery';
import type { KindDeclaration, Requestor } from '../rules/kind-rules.js';
import { keepDesired, keepStatus } from '../rules/separation.js';
import { humanDuration } from '../values/age.js';
import { ensureObject, type Json, numberAt, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { NONE } from '../values/text.js';

const SHORTEST_SECONDS = 600;
/** What a certificate can be for, in the order of their names. */
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
const DECISIONS: readonly unknown[] = ['Approved', 'Denied'];
const isDecision = (condition: Json): boolean => DECISIONS.includes(condition.type);

export const certificateSigningRequest: KindDeclaration = {
  resetFields: {
    '': [['spec'], ['status']],
    status: [['spec'], ['status', 'conditions']],
    approval: [['spec'], ['status', 'certificate']],
  },
  nameRule: 'pathSegment',
  prepareForCreate: recordRequestor,
  validateCreate: ({ spec }) => validateRequest(spec),
  // What was asked for never changes: it is what approvers approve.
  prepareForUpdate: keepDesired,
  subresources: {
    status(object, old) {
      keepDesired(object, old);
      decide(object, [
        ...objectsAt(old, 'status', 'conditions').filter(isDecision),
        ...objectsAt(object, 'status', 'conditions').filter((condition) => !isDecision(condition)),
      ]);
    },
    approval(object, old) {
      const decisions = objectsAt(object, 'status', 'conditions').filter(isDecision);
      const others = objectsAt(old, 'status', 'conditions').filter((condition) => !isDecision(condition));
      keepDesired(object, old);
      keepStatus(object, old);
      decide(object, [...decisions, ...others]);
    },
  },
  row: (object) => ({
    SignerName: textAt(object, 'spec', 'signerName'),
    Requestor: textAt(object, 'spec', 'username'),
    RequestedDuration: requestedDuration(object),
    Condition: conditionText(object),
  }),
  selectableFields: { 'spec.signerName': (object) => textAt(object, 'spec', 'signerName') },
};

/** Who asks is what approvers go by: whatever the request says of it gives way to who made it. */
function recordRequestor(object: ApiObject, _names: Names, user: Requestor): void {
  const spec = ensureObject(object, 'spec');
  for (const name of ['username', 'uid', 'groups', 'extra']) delete spec[name];
  spec.username = user.name;
  if (user.uid) spec.uid = user.uid;
  if (user.groups.length > 0) spec.groups = [...user.groups];
  const extra = Object.entries(user.extra);
  if (extra.length > 0) spec.extra = Object.fromEntries(extra.map(([key, values]) => [key, [...values]]));
}

function decide(object: ApiObject, conditions: Json[]): void {
  const status = ensureObject(object, 'status');
  if (conditions.length > 0) status.conditions = copy(conditions);
  else delete status.conditions;
}

function requestedDuration(object: ApiObject): string {
  const seconds = numberAt(object, 'spec', 'expirationSeconds');
  return seconds === undefined ? NONE : humanDuration(seconds * 1000);
}

/** `Pending`, or the decision, and what became of it. */
function conditionText(object: ApiObject): string {
  const types = objectsAt(object, 'status', 'conditions').map((condition) => condition.type);
  const decision = types.includes('Denied') ? 'Denied' : types.includes('Approved') ? 'Approved' : 'Pending';
  const failed = types.includes('Failed') ? ',Failed' : '';
  const issued = textAt(object, 'status', 'certificate') ? ',Issued' : '';
  return `${decision}${failed}${issued}`;
}

function validateRequest(spec: unknown): FieldError[] {
  const usages = stringsAt(spec, 'usages');
  const seconds = numberAt(spec, 'expirationSeconds');
  const pem = Buffer.from(textAt(spec, 'request'), 'base64').toString('latin1');
  const isRequest = /-----BEGIN (NEW )?CERTIFICATE REQUEST-----/.test(pem);
  return [
    ...(isRequest ? [] : [invalidValue('spec.request', '<bytes>', 'PEM block type must be CERTIFICATE REQUEST')]),
    ...(usages.length === 0 ? [required('spec.usages')] : []),
    ...usages.flatMap((usage, index) => validateUsage(usage, `spec.usages[${index}]`, usages.slice(0, index))),
    ...(textAt(spec, 'signerName') === '' ? [required('spec.signerName')] : []),
    ...(seconds !== undefined && seconds < SHORTEST_SECONDS
      ? [
          invalidValue(
            'spec.expirationSeconds',
            seconds,
            'may not specify a duration less than 600 seconds (10 minutes)',
          ),
        ]
      : []),
  ];
}

function validateUsage(usage: string, field: string, before: readonly string[]): FieldError[] {
  if (!USAGES.includes(usage)) return [notSupported(field, usage, USAGES)];
  return before.includes(usage) ? [duplicate(field, usage)] : [];
}

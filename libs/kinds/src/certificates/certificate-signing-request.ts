import { copy, formatTime, type Names } from '@orch/machinery';
import type { CertificateSigningRequest } from '@orch/schema/types/certificates/v1';
import type { KindDeclaration, Requestor } from '../rules/kind-rules.js';
import { keepDesired, keepStatus } from '../rules/separation.js';
import { humanDuration } from '../values/age.js';
import { equal } from '../values/equal.js';
import { ensureObject } from '../values/fields.js';
import { NONE } from '../values/text.js';
import { DECISIONS, validateRequest, validateRequestStatus } from './request-validation.js';

/**
 * Rules of CertificateSigningRequest: the request is immutable, conditions are written through `approval` and `status`.
 */
export const certificateSigningRequest: KindDeclaration<CertificateSigningRequest> = {
  resetFields: {
    '': [['spec'], ['status']],
    status: [['spec'], ['status', 'conditions']],
    approval: [['spec'], ['status', 'certificate']],
  },
  nameRule: 'pathSegment',
  prepareForCreate: recordRequestor,
  validateCreate: validateRequest,
  // The request itself is immutable, as it is what approvers approve.
  prepareForUpdate: keepDesired,
  subresources: {
    status(object, old, now) {
      keepDesired(object, old);
      for (const type of DECISIONS) keepDecision(object, old, type);
      fillTimes(object, old, now);
    },
    approval(object, old, now) {
      const conditions = object.status?.conditions;
      keepDesired(object, old);
      keepStatus(object, old);
      const status = ensureObject(object, 'status');
      if (conditions === undefined) delete status.conditions;
      else status.conditions = conditions;
      fillTimes(object, old, now);
    },
  },
  validateStatus: (object, _names, old, subresource) => validateRequestStatus(object, old, subresource),
  row: (object) => ({
    SignerName: object.spec?.signerName ?? '',
    Requestor: object.spec?.username ?? '',
    RequestedDuration: requestedDuration(object),
    Condition: conditionText(object),
  }),
  selectableFields: { 'spec.signerName': (object) => object.spec?.signerName ?? '' },
};

/** Records the user who created the request, in place of the client's values: approvers rely on it. */
function recordRequestor(object: CertificateSigningRequest, _names: Names, user: Requestor): void {
  const spec = ensureObject(object, 'spec');
  for (const name of ['username', 'uid', 'groups', 'extra'] as const) delete spec[name];
  spec.username = user.name;
  if (user.uid) spec.uid = user.uid;
  if (user.groups.length > 0) spec.groups = [...user.groups];
  const extra = Object.entries(user.extra);
  if (extra.length > 0) spec.extra = Object.fromEntries(extra.map(([key, values]) => [key, [...values]]));
}

/** Decisions of which there are as many as before are those from before; others are refused. */
function keepDecision(object: CertificateSigningRequest, old: CertificateSigningRequest, type: string): void {
  const conditions = object.status?.conditions ?? [];
  const before = (old.status?.conditions ?? []).filter((condition) => condition.type === type);
  if (conditions.filter((condition) => condition.type === type).length !== before.length) return;
  const kept = before.values();
  ensureObject(object, 'status').conditions = conditions.map((condition) =>
    condition.type === type ? copy(kept.next().value ?? condition) : condition,
  );
}

/**
 * Fills in missing times of changed conditions: now, or the transition time of an earlier condition of the same type
 * and status. Unchanged conditions are left alone, also those stored without times: decisions may not be changed.
 */
function fillTimes(object: CertificateSigningRequest, old: CertificateSigningRequest, now: number): void {
  const before = old.status?.conditions ?? [];
  for (const condition of object.status?.conditions ?? []) {
    if (before.some((one) => equal(one, condition))) continue;
    condition.lastUpdateTime ||= formatTime(now);
    const same = before.find(
      ({ type, status, lastTransitionTime: since }) => type === condition.type && status === condition.status && since,
    );
    condition.lastTransitionTime ||= same?.lastTransitionTime ?? formatTime(now);
  }
}

function requestedDuration(object: CertificateSigningRequest): string {
  const seconds = object.spec?.expirationSeconds;
  return seconds === undefined ? NONE : humanDuration(seconds * 1000);
}

/** `Pending`, or the decision, and what became of it. */
function conditionText(object: CertificateSigningRequest): string {
  const types = (object.status?.conditions ?? []).map((condition) => condition.type);
  const decision = types.includes('Denied') ? 'Denied' : types.includes('Approved') ? 'Approved' : 'Pending';
  const failed = types.includes('Failed') ? ',Failed' : '';
  const issued = (object.status?.certificate ?? '') ? ',Issued' : '';
  return `${decision}${failed}${issued}`;
}

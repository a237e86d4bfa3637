import type { ApiObject } from '@orch/machinery';
import { humanDuration } from '../printing/age.js';
import { NONE } from '../printing/text.js';
import { copy, ensureObject, type Json, numberAt, objectsAt, textAt } from '../rules/fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { keepDesired, keepStatus } from '../rules/separation.js';

const DECISIONS: readonly unknown[] = ['Approved', 'Denied'];
const isDecision = (condition: Json): boolean => DECISIONS.includes(condition.type);

export const certificateSigningRequest: KindDeclaration = {
  nameRule: 'pathSegment',
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

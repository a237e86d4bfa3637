import {
  duplicate,
  type FieldError,
  formText,
  invalidValue,
  notSupported,
  qualifiedNameErrors,
  required,
  tooLong,
} from '@orch/machinery';
import type { Condition } from '@orch/schema/types/meta/v1';
import { countOf } from '../values/fields.js';
import { invalidEach } from './checks.js';
import { each } from './lists.js';

const STATUSES = ['False', 'True', 'Unknown'];
const MAX_REASON_BYTES = 1024;
const MAX_MESSAGE_BYTES = 32 * 1024;
const REASON = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const REASON_RE = new RegExp(`^${REASON}$`);
const REASON_FORM = formText(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  REASON,
  'my_name',
  'MY_NAME',
  'MyName',
  'ReasonA,ReasonB',
  'ReasonA:ReasonB',
);

/** Conditions in the form that all newer kinds share: one of each type. */
export function validateConditions(conditions: readonly Condition[], path: string): FieldError[] {
  const seen = new Set<string>();
  return each(conditions, path, (condition, field) => {
    const type = condition.type ?? '';
    const again = seen.has(type) ? [duplicate(`${field}.type`, type)] : [];
    seen.add(type);
    return [...again, ...validateCondition(condition, type, field)];
  });
}

function validateCondition(condition: Condition, type: string, path: string): FieldError[] {
  const generation = countOf(condition.observedGeneration);
  const [status, reason] = [condition.status ?? '', condition.reason ?? ''];
  const least = 'must be greater than or equal to zero';
  return [
    ...invalidEach(`${path}.type`, type, qualifiedNameErrors(type)),
    ...(STATUSES.includes(status) ? [] : [notSupported(`${path}.status`, status, STATUSES)]),
    ...(generation < 0 ? [invalidValue(`${path}.observedGeneration`, generation, least)] : []),
    ...((condition.lastTransitionTime ?? '') === '' ? [required(`${path}.lastTransitionTime`, 'must be set')] : []),
    ...(reason === '' ? [required(`${path}.reason`, 'must be set')] : validateReason(reason, `${path}.reason`)),
    ...atMostBytes(`${path}.message`, condition.message ?? '', MAX_MESSAGE_BYTES),
  ];
}

const validateReason = (reason: string, field: string): FieldError[] => [
  ...(REASON_RE.test(reason) ? [] : [invalidValue(field, reason, REASON_FORM)]),
  ...atMostBytes(field, reason, MAX_REASON_BYTES),
];

const atMostBytes = (field: string, text: string, limit: number): FieldError[] =>
  Buffer.byteLength(text) > limit ? [tooLong(field, limit)] : [];

import { type FieldError, required } from '@orch/machinery';
import { isOneOf } from './checks.js';

const POLICIES = ['PreemptLowerPriority', 'Never'];

/** Whether pods of a priority have others make room; may be left unsaid, and not be empty. */
export const validatePreemptionPolicy = (field: string, policy: string | undefined): FieldError[] =>
  policy === '' ? [required(field)] : isOneOf(field, policy, POLICIES);

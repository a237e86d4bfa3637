import {
  type FieldError,
  forbiddenField,
  formText,
  invalidValue,
  isPercent,
  notSupported,
  required,
} from '@orch/machinery';
import type {
  DaemonSetUpdateStrategy,
  DeploymentStrategy,
  RollingUpdateDeployment,
  StatefulSetUpdateStrategy,
} from '@orch/schema/types/apps/v1';
import { nonNegative } from '../rules/checks.js';
import { shownIntOrString } from '../values/go-syntax.js';

const NOT_PERCENT = formText(
  "a valid percent string must be a numeric string followed by an ending '%'",
  '[0-9]+%',
  '1%',
  '93%',
);

/** A number that is not negative, or a percentage. */
export const validateAmount = (field: string, value: unknown): FieldError[] =>
  typeof value !== 'string'
    ? nonNegative(field, value)
    : isPercent(value)
      ? []
      : [invalidValue(field, shownIntOrString(value), NOT_PERCENT)];

/** A percentage is a part of the whole. */
export const validateShare = (field: string, value: unknown): FieldError[] =>
  typeof value === 'string' && isPercent(value) && amountOf(value) > 100
    ? [invalidValue(field, shownIntOrString(value), 'must not be greater than 100%')]
    : [];

/** Returns the number of an integer or a percentage; 0 for another value. */
function amountOf(value: string | number | undefined): number {
  if (typeof value !== 'string') return Number(value ?? 0);
  return isPercent(value) ? Number(value.slice(0, -1)) : 0;
}

/** Checks the strategy of a Deployment; a rolling update needs a surge or unavailable pods. */
export function validateDeploymentStrategy(strategy: DeploymentStrategy | undefined, path: string): FieldError[] {
  const rolling = strategy?.rollingUpdate;
  switch (strategy?.type ?? '') {
    case 'Recreate':
      if (!rolling) return [];
      return [forbiddenField(`${path}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'")];
    case 'RollingUpdate':
      return validateRollingDeployment(rolling, `${path}.rollingUpdate`);
    default:
      return [notSupported(path, strategy, ['Recreate', 'RollingUpdate'])];
  }
}

function validateRollingDeployment(rolling: RollingUpdateDeployment | undefined, path: string): FieldError[] {
  const { maxUnavailable, maxSurge } = rolling ?? {};
  const field = `${path}.maxUnavailable`;
  const errors = [...validateAmount(field, maxUnavailable), ...validateAmount(`${path}.maxSurge`, maxSurge)];
  if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0) {
    errors.push(invalidValue(field, shownIntOrString(maxUnavailable), 'may not be 0 when `maxSurge` is 0'));
  }
  return [...errors, ...validateShare(field, maxUnavailable)];
}

/** Checks the update strategy of a DaemonSet; a rolling update needs either a surge or unavailable pods, not both. */
export function validateDaemonSetStrategy(strategy: DaemonSetUpdateStrategy | undefined, path: string): FieldError[] {
  const type = strategy?.type ?? '';
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') return [notSupported(path, strategy, ['RollingUpdate', 'OnDelete'])];
  const { maxUnavailable, maxSurge } = strategy?.rollingUpdate ?? {};
  const [unavailable, surge] = [`${path}.rollingUpdate.maxUnavailable`, `${path}.rollingUpdate.maxSurge`];
  const errors = [
    ...validateAmount(unavailable, maxUnavailable),
    ...validateAmount(surge, maxSurge),
    ...validateShare(unavailable, maxUnavailable),
    ...validateShare(surge, maxSurge),
  ];
  const [down, up] = [amountOf(maxUnavailable) !== 0, amountOf(maxSurge) !== 0];
  if (down && up) {
    errors.push(invalidValue(surge, shownIntOrString(maxSurge), 'may not be set when maxUnavailable is non-zero'));
  }
  if (!down && !up) errors.push(required(unavailable, 'cannot be 0 when maxSurge is 0'));
  return errors;
}

/** Checks the update strategy of a StatefulSet. */
export function validateStatefulSetStrategy(
  strategy: StatefulSetUpdateStrategy | undefined,
  path: string,
): FieldError[] {
  const rolling = strategy?.rollingUpdate;
  switch (strategy?.type ?? '') {
    case 'OnDelete':
      if (!rolling) return [];
      return [invalidValue(`${path}.rollingUpdate`, rolling, "only allowed for updateStrategy 'RollingUpdate'")];
    case 'RollingUpdate':
      return [
        ...nonNegative(`${path}.rollingUpdate.partition`, rolling?.partition),
        ...validateUnavailable(rolling?.maxUnavailable, `${path}.rollingUpdate.maxUnavailable`),
      ];
    default:
      return [invalidValue(path, strategy, "must be 'RollingUpdate' or 'OnDelete'")];
  }
}

/** Something must be down while it is replaced. */
function validateUnavailable(amount: string | number | undefined, field: string): FieldError[] {
  if (amount === undefined || amount === null) return [];
  return [
    ...validateAmount(field, amount),
    ...(amountOf(amount) === 0 ? [invalidValue(field, shownIntOrString(amount), 'cannot be 0')] : []),
    ...validateShare(field, amount),
  ];
}

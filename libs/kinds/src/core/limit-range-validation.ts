import {
  type FieldError,
  forbiddenField,
  invalidValue,
  type Names,
  type Quantity,
  qualifiedNameErrors,
  required,
} from '@orch/machinery';
import type { LimitRange, LimitRangeItem } from '@orch/schema/types/core/v1';
import { invalidEach, quantityOf } from '../rules/checks.js';
import { shownQuantity } from '../rules/go-quantity.js';
import { each, refuseRepeated } from '../rules/lists.js';
import { containerResourceErrors, isHugePages, isNative, resourceNameErrors } from '../rules/resource-names.js';

const LIMITS = 'spec.limits';
const TYPES = ['Pod', 'Container', 'PersistentVolumeClaim'];
const OF_PODS = ['max', 'min'] as const;
const DEFAULTS = ['default', 'defaultRequest'] as const;
const RATIO = 'maxLimitRequestRatio';
/** A member of an item that holds amounts by resource. */
type AmountList = Exclude<keyof LimitRangeItem, 'type'>;
/** Beyond this, ratios are computed of whole units only. */
const MAX_MILLI_UNITS = ((1n << 63n) - 1n) / 1000n;

/** Checks the items of a LimitRange, one for each type at most. */
export function validateLimitRange({ spec }: LimitRange, names: Names): FieldError[] {
  const items = spec?.limits ?? [];
  return [
    ...refuseRepeated(
      items.map((item) => item.type ?? ''),
      LIMITS,
      '.type',
    ),
    ...each(items, LIMITS, (item, path) => validateItem(item, path, names)),
  ];
}

function typeErrors(type: string): string[] {
  const errors = qualifiedNameErrors(type);
  if (errors.length > 0 || type.includes('/') || TYPES.includes(type)) return errors;
  return ['must be a standard limit type or fully qualified'];
}

function validateItem(item: LimitRangeItem, path: string, names: Names): FieldError[] {
  const type = item.type ?? '';
  const ofPods = type === 'Pod';
  const lists: readonly AmountList[] = ofPods ? OF_PODS : [...OF_PODS, ...DEFAULTS];
  const nameErrors = (name: string) =>
    ofPods || type === 'Container' ? containerResourceErrors(name, names) : resourceNameErrors(name);
  const used: readonly AmountList[] = [...lists, RATIO];
  const resources = new Set(used.flatMap((list) => Object.keys(item[list] ?? {})));
  return [
    ...invalidEach(`${path}.type`, type, typeErrors(type)),
    ...used.flatMap((list) =>
      Object.keys(item[list] ?? {}).flatMap((name) => invalidEach(`${path}.${list}[${name}]`, name, nameErrors(name))),
    ),
    ...(ofPods ? refuseDefaults(item, path) : []),
    ...(type === 'PersistentVolumeClaim' ? requireStorage(item, path) : []),
    ...[...resources].flatMap((name) => validateBounds(boundsOf(item, name, lists), path, name, names)),
  ];
}

const refuseDefaults = (item: LimitRangeItem, path: string): FieldError[] =>
  DEFAULTS.filter((list) => Object.keys(item[list] ?? {}).length > 0).map((list) =>
    forbiddenField(`${path}.${list}`, "may not be specified when `type` is 'Pod'"),
  );

function requireStorage(item: LimitRangeItem, path: string): FieldError[] {
  if (OF_PODS.some((list) => item[list]?.storage !== undefined)) return [];
  return [required(`${path}.limits`, 'either minimum or maximum storage value is required, but neither was provided')];
}

type Bounds = Readonly<Record<string, Quantity | undefined>>;

const boundsOf = (item: LimitRangeItem, name: string, lists: readonly AmountList[]): Bounds =>
  Object.fromEntries(
    ([...lists, RATIO] as const).map((list) => {
      const amount = item[list]?.[name];
      return [list, amount === undefined ? undefined : quantityOf(amount)];
    }),
  );

/** Which amount may not be above which, the list that the error names, and whether the amount it shows is the first. */
const ORDERED: readonly (readonly [string, string, string, string])[] = [
  ['min', 'max', 'min', 'min value LOW is greater than max value HIGH'],
  ['min', 'defaultRequest', 'defaultRequest', 'min value LOW is greater than default request value HIGH'],
  ['defaultRequest', 'max', 'defaultRequest', 'default request value LOW is greater than max value HIGH'],
  ['defaultRequest', 'default', 'defaultRequest', 'default request value LOW is greater than default limit value HIGH'],
  ['min', 'default', 'default', 'min value LOW is greater than default value HIGH'],
  ['default', 'max', 'default', 'default value LOW is greater than max value HIGH'],
];

function validateBounds(bounds: Bounds, path: string, name: string, names: Names): FieldError[] {
  const errors: FieldError[] = [];
  for (const [low, high, list, text] of ORDERED) {
    const [least, most] = [bounds[low], bounds[high]];
    if (!least || !most || least.compare(most) <= 0) continue;
    const shown = list === 'default' ? (low === 'min' ? least : most) : (bounds[list] ?? least);
    errors.push(
      invalidValue(
        `${path}.${list}[${name}]`,
        shownQuantity(shown.toString()),
        text.replace('LOW', `${least}`).replace('HIGH', `${most}`),
      ),
    );
  }
  errors.push(...validateRatio(bounds, `${path}.${RATIO}[${name}]`));
  const { default: limit, defaultRequest: request } = bounds;
  const overcommits = isNative(name, names) && !isHugePages(name);
  if (!overcommits && limit && request && limit.compare(request) !== 0) {
    const text = `default value ${limit} must equal to defaultRequest value ${request} in ${name}`;
    errors.push(invalidValue(`${path}.defaultRequest[${name}]`, shownQuantity(request.toString()), text));
  }
  return errors;
}

/** How much more than it asks for something may use: no more than the bounds allow anyway. */
function validateRatio({ [RATIO]: ratio, min, max }: Bounds, field: string): FieldError[] {
  if (!ratio) return [];
  const refuse = (text: string) => invalidValue(field, shownQuantity(ratio.toString()), text);
  const errors = ratio.nanos < 1_000_000_000n ? [refuse(`ratio ${ratio} is less than 1`)] : [];
  if (!min || !max) return errors;
  const fine = [ratio, min, max].every((amount) => amount.value() < MAX_MILLI_UNITS);
  const asked = fine ? Number(ratio.milliValue()) / 1000 : Number(ratio.value());
  const [low, high] = [min, max].map((amount) => Number(fine ? amount.milliValue() : amount.value())) as [
    number,
    number,
  ];
  const most = high / low;
  const shown = Number.isFinite(most) ? most.toFixed(6) : Number.isNaN(most) ? 'NaN' : '+Inf';
  if (asked > most) errors.push(refuse(`ratio ${ratio} is greater than max/min = ${shown}`));
  return errors;
}

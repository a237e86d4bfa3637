import { type FieldError, forbiddenField, invalidValue, notSupported, required } from '@orch/machinery';
import type { LimitedPriorityLevelConfiguration as LimitedV1beta2 } from '@orch/schema/types/flowcontrol/v1beta2';
import type {
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  QueuingConfiguration,
} from '@orch/schema/types/flowcontrol/v1beta3';
import { fixedLevels, validateFixed } from './fixed.js';

/** The limits of a level in whichever version: each has one of the two fields of shares. */
export type Limited = LimitedPriorityLevelConfiguration & LimitedV1beta2;
/** The name of the field that holds the shares. */
export type SharesField = 'assuredConcurrencyShares' | 'nominalConcurrencyShares';

const EXEMPT = 'exempt';
const LIMITED = 'spec.limited';
const MAX_QUEUES = 10_000_000;
/** Bits of the hash by which requests are dealt to queues. */
const MAX_HASH_BITS = 60;

/** @param shares the member that holds the shares of the level */
export function validatePriorityLevel(
  { metadata, spec }: PriorityLevelConfiguration,
  shares: SharesField,
): FieldError[] {
  const name = metadata?.name ?? '';
  const type = spec?.type ?? '';
  const text = "type must be 'Exempt' if and only if name is 'exempt'";
  return [
    ...((name === EXEMPT) === (type === 'Exempt') ? [] : [invalidValue('spec.type', type, text)]),
    ...validateType(type, spec?.limited, shares),
    ...validateFixed(name, spec, fixedLevels(shares)),
  ];
}

function validateType(type: string, limited: Limited | undefined, shares: SharesField): FieldError[] {
  switch (type) {
    case 'Exempt':
      return limited ? [forbiddenField(LIMITED, 'must be nil if the type is not Limited')] : [];
    case 'Limited':
      if (!limited) return [required(LIMITED, 'must not be empty when type is Limited')];
      return validateLimited(limited, shares);
    default:
      return [notSupported('spec.type', type, ['Exempt', 'Limited'])];
  }
}

function validateLimited(limited: Limited, shares: SharesField): FieldError[] {
  const [lent, borrowed] = [limited.lendablePercent, limited.borrowingLimitPercent];
  const [percent, least] = ['must be between 0 and 100, inclusive', 'if specified, must be a non-negative integer'];
  return [
    ...positive(`${LIMITED}.${shares}`, limited[shares] ?? 0),
    ...validateResponse(limited.limitResponse, `${LIMITED}.limitResponse`),
    ...(lent === undefined || (lent >= 0 && lent <= 100)
      ? []
      : [invalidValue(`${LIMITED}.lendablePercent`, lent, percent)]),
    ...(borrowed === undefined || borrowed >= 0
      ? []
      : [invalidValue(`${LIMITED}.borrowingLimitPercent`, borrowed, least)]),
  ];
}

const positive = (field: string, value: number): FieldError[] =>
  value > 0 ? [] : [invalidValue(field, value, 'must be positive')];

function validateResponse(response: LimitResponse | undefined, path: string): FieldError[] {
  const type = response?.type ?? '';
  const queuing = response?.queuing;
  const field = `${path}.queuing`;
  switch (type) {
    case 'Reject':
      if (!queuing) return [];
      return [forbiddenField(field, 'must be nil if limited.limitResponse.type is not Limited')];
    case 'Queue':
      if (queuing) return validateQueuing(queuing, field);
      return [required(field, 'must not be empty if limited.limitResponse.type is Limited')];
    default:
      return [notSupported(`${path}.type`, type, ['Queue', 'Reject'])];
  }
}

function validateQueuing(queuing: QueuingConfiguration, path: string): FieldError[] {
  const [queues, hand] = [queuing.queues ?? 0, queuing.handSize ?? 0];
  const many = `must not be greater than ${MAX_QUEUES}`;
  return [
    ...positive(`${path}.queueLengthLimit`, queuing.queueLengthLimit ?? 0),
    ...positive(`${path}.queues`, queues),
    ...(queues > MAX_QUEUES ? [invalidValue(`${path}.queues`, queues, many)] : []),
    ...validateHand(hand, queues, `${path}.handSize`),
  ];
}

function validateHand(hand: number, queues: number, field: string): FieldError[] {
  if (hand <= 0) return positive(field, hand);
  if (hand > queues) return [invalidValue(field, hand, `should not be greater than queues (${queues})`)];
  if (Math.ceil(Math.log2(queues) * hand) <= MAX_HASH_BITS) return [];
  const text = `required entropy bits of deckSize ${queues} and handSize ${hand} should not be greater than ${MAX_HASH_BITS}`;
  return [invalidValue(field, hand, text)];
}

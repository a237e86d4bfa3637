import { type FieldError, invalidValue, notSupported } from '@orch/machinery';
import type { Rate } from '@orch/webhooks';
import { integerOf, listOf, membersOf, onlyKnown, readConfiguration, textOf } from '../../versioned-configuration.js';

/** The property by which events are grouped for a limit. */
export type EventLimitType = (typeof TYPES)[number];

const TYPES = ['Namespace', 'Server', 'SourceAndObject', 'User'] as const;

/** A limit on events. */
export interface EventLimit {
  /** Property by which events are grouped. */
  readonly type: EventLimitType;
  /** Rate limit of each group. */
  readonly rate: Rate;
  /** Most namespaces, users, … that are tracked at a time. */
  readonly cacheSize: number;
}

const KIND = { group: 'eventratelimit.admission.orch.io', versions: ['v1alpha1'], kind: 'Configuration' };
const DEFAULT_CACHE_SIZE = 4_096;

/** Reads the configuration. @throws Error for a configuration without limits, and for invalid ones */
export function readEventLimits(value: unknown): readonly EventLimit[] {
  const configuredLimits = value === undefined ? [] : listOf(readConfiguration(value, KIND, ['limits']), 'limits');
  const errors: FieldError[] = configuredLimits.length === 0 ? [invalidValue('limits', [], 'must not be empty')] : [];
  const limits = configuredLimits.map((one, at) => limitOf(one, `limits[${at}]`, errors));
  if (errors.length === 0) return limits;
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  throw new Error(texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`);
}

function limitOf(value: unknown, path: string, errors: FieldError[]): EventLimit {
  const members = onlyKnown(membersOf(value, path), ['type', 'qps', 'burst', 'cacheSize'], `${path}.`);
  const text = textOf(members, 'type', `${path}.`);
  const type = TYPES.find((known) => known === text);
  const [burst, qps, cacheSize] = ['burst', 'qps', 'cacheSize'].map((name) => integerOf(members, name, `${path}.`)) as [
    number,
    number,
    number,
  ];
  if (!type) errors.push(notSupported(`${path}.type`, text, TYPES));
  if (burst <= 0) errors.push(invalidValue(`${path}.burst`, burst, 'must be positive'));
  if (qps <= 0) errors.push(invalidValue(`${path}.qps`, qps, 'must be positive'));
  if (cacheSize < 0 && type !== 'Server')
    errors.push(invalidValue(`${path}.cacheSize`, cacheSize, 'must not be negative'));
  return { type: type ?? 'Server', rate: { perSecond: qps, burst }, cacheSize: cacheSize || DEFAULT_CACHE_SIZE };
}

import { formatDuration } from '@orch/machinery';
import { membersOf } from '../../versioned-configuration.js';

/** Configuration of the image policy webhook. */
interface ImagePolicyConfiguration {
  /** Connection file of the webhook, in the form of a kubeconfig. */
  readonly kubeConfigFile: string;
  /** How long allowing answers are cached, ms; 0 for not at all. */
  readonly allowTtlMs: number;
  /** How long denying answers are cached, ms; 0 for not at all. */
  readonly denyTtlMs: number;
  /** Initial wait between two attempts, ms. */
  readonly retryBackoffMs: number;
  /** Whether pods are allowed if the webhook does not answer. */
  readonly defaultAllow: boolean;
}

interface Span {
  /** Milliseconds per unit of the configured number. */
  readonly unit: number;
  readonly least: number;
  readonly most: number;
  readonly otherwise: number;
}

const [SECOND, MINUTE, NANOSECOND] = [1_000, 60_000, 1e-6];
const BACKOFF: Span = { unit: 1, least: NANOSECOND, most: 5 * MINUTE, otherwise: 500 };
const ALLOW: Span = { unit: SECOND, least: SECOND, most: 30 * MINUTE, otherwise: 5 * MINUTE };
const DENY: Span = { ...ALLOW, otherwise: 30 * SECOND };

/** Reads the configuration. @throws Error for a missing or invalid one */
export function readImagePolicy(value: unknown): ImagePolicyConfiguration {
  if (value === undefined) throw new Error('no config specified');
  const { imagePolicy = {} } = membersOf(value, 'the configuration of ImagePolicyWebhook');
  const members = membersOf(imagePolicy, 'imagePolicy');
  const { kubeConfigFile = '', defaultAllow = false } = members;
  if (typeof kubeConfigFile !== 'string' || kubeConfigFile === '')
    throw new Error('imagePolicy.kubeConfigFile is missing');
  if (typeof defaultAllow !== 'boolean') throw new Error('imagePolicy.defaultAllow must be true or false');
  return {
    kubeConfigFile,
    defaultAllow,
    retryBackoffMs: timeOf(members.retryBackoff, BACKOFF),
    allowTtlMs: timeOf(members.allowTTL, ALLOW),
    denyTtlMs: timeOf(members.denyTTL, DENY),
  };
}

/** Returns a time in ms: 0 for -1, which disables it, and the default for 0. @throws Error for a value out of range */
function timeOf(value: unknown = 0, { unit, least, most, otherwise }: Span): number {
  if (!Number.isSafeInteger(value)) throw new Error(`${JSON.stringify(value)} is not a whole number`);
  if (value === -1) return 0;
  if (value === 0) return otherwise;
  const time = Number(value) * unit;
  if (time >= least && time <= most) return time;
  const [low, high, got] = [least, most, time].map((ms) => formatDuration(BigInt(Math.round(ms * 1e6))));
  throw new Error(`valid value is between ${low} and ${high}, got ${got}`);
}

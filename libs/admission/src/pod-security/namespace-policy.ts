import { type FieldError, invalidValue, memberOf, type Names } from '@orch/machinery';
import {
  compareLevels,
  isEquivalent,
  LATEST,
  type LevelVersion,
  type PodSecurityLevel,
  PolicyError,
  parseLevel,
  parseVersion,
} from './level-version.js';

/** Mode in which a policy applies: violations are refused, noted in the audit log, or reported as warnings. */
export type PodSecurityMode = 'enforce' | 'audit' | 'warn';

/** The level and version that apply in a namespace, for each mode. */
export type Policy = Readonly<Record<PodSecurityMode, LevelVersion>>;

/** A policy, and the errors of the labels that it was read from. */
export interface ReadPolicy {
  /** The policy. */
  readonly policy: Policy;
  /** Errors of the labels; empty for valid ones. */
  readonly errors: readonly FieldError[];
}

/** Returns the keys of the policy labels of namespaces. */
export const policyLabels = (names: Names) => {
  const prefix = names.key('pod-security.orch.io/');
  const of = (mode: PodSecurityMode) => ({ level: prefix + mode, version: `${prefix}${mode}-version` });
  return { enforce: of('enforce'), audit: of('audit'), warn: of('warn') };
};
/** Keys of the policy labels, by mode. */
export type PolicyLabels = ReturnType<typeof policyLabels>;

type Labels = Readonly<Record<string, string>>;

/**
 * Returns the policy that labels set; members without a label come from `defaults`. There is always a policy: an
 * invalid level is `restricted` for enforcement, and `privileged` for audit and warnings; an invalid version is the
 * latest.
 */
export function policyOf(labels: Labels, defaults: Policy, keys: PolicyLabels): ReadPolicy {
  const errors: FieldError[] = [];
  const read = <T>(key: string, parse: (text: string) => T): T | undefined => {
    const text = memberOf(labels, key);
    try {
      return text === undefined ? undefined : parse(text);
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
      errors.push(invalidValue(`metadata.labels[${key}]`, text, error.message));
      return undefined;
    }
  };
  const chosen = (mode: PodSecurityMode, otherwise: PodSecurityLevel) => {
    const [key, fallback] = [keys[mode], defaults[mode]];
    const [level, minor] = [read(key.level, parseLevel), read(key.version, parseVersion)];
    return {
      said: level,
      policy: {
        level: level ?? (isSet(labels, key.level) ? otherwise : fallback.level),
        minor: minor ?? (isSet(labels, key.version) ? LATEST : fallback.minor),
      },
    };
  };
  const [enforce, audit] = [chosen('enforce', 'restricted'), chosen('audit', 'privileged')];
  const { policy: warn } = chosen('warn', 'privileged');
  const follows = enforce.said !== undefined && !isSet(labels, keys.warn.level);
  const policy = { enforce: enforce.policy, audit: audit.policy, warn };
  if (!follows || compareLevels(enforce.policy.level, warn.level) <= 0) return { policy, errors };
  // A policy that will refuse pods also warns about them: controllers are warned, whose pods would be refused.
  const minor = isSet(labels, keys.warn.version) ? warn.minor : enforce.policy.minor;
  return { policy: { ...policy, warn: { level: enforce.policy.level, minor } }, errors };
}

/** Returns whether a label is set. */
export const isSet = (labels: Labels, key: string): boolean => Object.hasOwn(labels, key);

/** Returns whether a policy allows everything and reports nothing. */
export const isPrivileged = ({ enforce, audit, warn }: Policy): boolean =>
  [enforce, audit, warn].every(({ level }) => level === 'privileged');

/** Returns whether two policies are equivalent. */
export const isSamePolicy = (a: Policy, b: Policy): boolean =>
  isEquivalent(a.enforce, b.enforce) && isEquivalent(a.audit, b.audit) && isEquivalent(a.warn, b.warn);

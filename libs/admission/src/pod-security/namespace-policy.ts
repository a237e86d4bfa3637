import { type FieldError, invalidValue, memberOf, type Names } from '@orch/machinery';
import {
  compareLevels,
  isEquivalent,
  LATEST,
  type Level,
  type LevelVersion,
  PolicyError,
  parseLevel,
  parseVersion,
} from './level-version.js';

/** What is done about pods that may not be as they are. */
export type Mode = 'enforce' | 'audit' | 'warn';

/** What holds in a namespace, for each mode. */
export type Policy = Readonly<Record<Mode, LevelVersion>>;

/** A policy, and what is wrong with the labels that it was read from. */
export interface ReadPolicy {
  readonly policy: Policy;
  readonly errors: readonly FieldError[];
}

/** Labels of namespaces. */
export const policyLabels = (names: Names) => {
  const prefix = names.key('pod-security.orch.io/');
  const of = (mode: Mode) => ({ level: prefix + mode, version: `${prefix}${mode}-version` });
  return { enforce: of('enforce'), audit: of('audit'), warn: of('warn') };
};
export type PolicyLabels = ReturnType<typeof policyLabels>;

type Labels = Readonly<Record<string, string>>;

/**
 * The policy that labels choose; what they do not say is as in `defaults`. There is always one: what cannot be read is enforced most
 * strictly, and neither audited nor warned of.
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
  const chosen = (mode: Mode, otherwise: Level) => {
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
  // Who is told no is to be told before: of controllers, whose pods would be refused.
  const minor = isSet(labels, keys.warn.version) ? warn.minor : enforce.policy.minor;
  return { policy: { ...policy, warn: { level: enforce.policy.level, minor } }, errors };
}

export const isSet = (labels: Labels, key: string): boolean => Object.hasOwn(labels, key);

/** Whether it allows everything and says nothing. */
export const isPrivileged = ({ enforce, audit, warn }: Policy): boolean =>
  [enforce, audit, warn].every(({ level }) => level === 'privileged');

/** Whether two policies come to the same. */
export const isSamePolicy = (a: Policy, b: Policy): boolean =>
  isEquivalent(a.enforce, b.enforce) && isEquivalent(a.audit, b.audit) && isEquivalent(a.warn, b.warn);

import { duplicate, type FieldError, invalidValue, nameErrors } from '@orch/machinery';
import {
  type ConfigurationFields,
  listOf,
  membersOf,
  onlyKnown,
  readConfiguration,
  textOf,
} from '../versioned-configuration.js';
import { type LevelVersion, PolicyError, parseLevel, parseVersion } from './level-version.js';
import type { PodSecurityMode, Policy } from './namespace-policy.js';

/** Pod security configuration of an installation. */
export interface PodSecurityConfiguration {
  /** Policy for namespaces whose labels do not set one. */
  readonly defaults: Policy;
  /** Users whose requests are not checked. */
  readonly exemptUsers: ReadonlySet<string>;
  /** Namespaces whose pods are not checked. */
  readonly exemptNamespaces: ReadonlySet<string>;
  /** Runtime classes of pods that are not checked. */
  readonly exemptRuntimeClasses: ReadonlySet<string>;
}

const KIND = {
  group: 'pod-security.admission.config.orch.io',
  versions: ['v1', 'v1beta1', 'v1alpha1'],
  kind: 'PodSecurityConfiguration',
};
const EXEMPTIONS = ['usernames', 'namespaces', 'runtimeClasses'] as const;
const MODES: readonly PodSecurityMode[] = ['enforce', 'warn', 'audit'];

/**
 * Reads the configuration.
 * @param value undefined for none: everything is then allowed unless labels say otherwise
 * @throws Error for an invalid configuration
 */
export function readPodSecurityConfiguration(value: unknown): PodSecurityConfiguration {
  const { defaults = {}, exemptions = {} } =
    value === undefined ? ({} as ConfigurationFields) : readConfiguration(value, KIND, ['defaults', 'exemptions']);
  const errors: FieldError[] = [];
  const policy = defaultsOf(membersOf(defaults ?? {}, 'defaults'), errors);
  const exempt = exemptionsOf(membersOf(exemptions ?? {}, 'exemptions'), errors);
  if (errors.length === 0) return { defaults: policy, ...exempt };
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  throw new Error(`PodSecurity invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`);
}

function defaultsOf(defaults: ConfigurationFields, errors: FieldError[]): Policy {
  onlyKnown(
    defaults,
    MODES.flatMap((mode) => [mode, `${mode}-version`]),
    'defaults.',
  );
  const read = <T>(name: string, otherwise: string, parse: (text: string) => T): T => {
    const text = textOf(defaults, name, 'defaults.') || otherwise;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
      errors.push(invalidValue(`defaults.${name}`, text, error.message));
      return parse(otherwise);
    }
  };
  const of = (mode: PodSecurityMode): LevelVersion => ({
    level: read(mode, 'privileged', parseLevel),
    minor: read(`${mode}-version`, 'latest', parseVersion),
  });
  return { enforce: of('enforce'), warn: of('warn'), audit: of('audit') };
}

function exemptionsOf(
  exemptions: ConfigurationFields,
  errors: FieldError[],
): Omit<PodSecurityConfiguration, 'defaults'> {
  onlyKnown(exemptions, EXEMPTIONS, 'exemptions.');
  const read = (name: (typeof EXEMPTIONS)[number], problems: (text: string) => readonly string[]) => {
    const found = new Set<string>();
    for (const [at, text] of listOf(exemptions, name, 'exemptions.').entries()) {
      const path = `exemptions.${name}[${at}]`;
      if (typeof text !== 'string') throw new Error(`${path} must be a string`);
      const wrong = problems(text);
      if (wrong.length > 0) errors.push(invalidValue(path, text, wrong.join(', ')));
      else if (found.has(text)) errors.push(duplicate(path, text));
      else found.add(text);
    }
    return found;
  };
  return {
    exemptNamespaces: read('namespaces', (text) => nameErrors('label', text)),
    exemptRuntimeClasses: read('runtimeClasses', (text) => nameErrors('subdomain', text)),
    exemptUsers: read('usernames', (text) => (text === '' ? ['username must not be empty'] : [])),
  };
}

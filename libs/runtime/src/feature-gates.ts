import { OptionsError } from './options/options.js';
import { parseBool, ValueError } from './options/values.js';

/** Stages of a feature (spec: "Feature gate life cycle"). */
export type FeatureStage = 'alpha' | 'beta' | 'ga' | 'deprecated';

/** Declaration of a feature. */
export interface FeatureSpec {
  /** A `ga` feature cannot be turned off; naming one that is `ga` or `deprecated` gives a warning. */
  readonly stage: FeatureStage;
  /** Whether the feature is on by default. */
  readonly default: boolean;
}

/** Definition of `--feature-gates` for a table of features; its value goes to {@link resolveFeatures}. */
export const featureGateOptions = (known: Readonly<Record<string, FeatureSpec>>) =>
  ({
    'feature-gates': {
      type: 'map',
      help: `Features to turn on or off, as Name=true|false. AllAlpha and AllBeta set every feature of a stage that is not named itself. Known features: ${Object.entries(
        known,
      )
        .map(([name, spec]) => `${name} (${spec.stage}, ${spec.default ? 'on' : 'off'})`)
        .join(', ')}. Features at the stage ga cannot be turned off.`,
      check: (settings: ReadonlyMap<string, string>) => void resolveFeatures(known, settings),
    },
  }) as const;

/** State of the features; fixed at start-up. */
export interface FeatureGates<Name extends string> {
  /** Whether the feature is on. */
  enabled(name: Name): boolean;
  /** Warnings to log: gates that were set although they are GA or deprecated. */
  readonly warnings: readonly string[];
}

const GROUPS: ReadonlyMap<string, FeatureStage> = new Map([
  ['AllAlpha', 'alpha'],
  ['AllBeta', 'beta'],
]);

/**
 * Applies settings to `known`. A named gate overrides AllAlpha and AllBeta, whatever the order. Throws
 * {@link OptionsError} for unknown names, values that are not booleans, and a GA gate set to false.
 */
export function resolveFeatures<Name extends string>(
  known: Readonly<Record<Name, FeatureSpec>>,
  settings: ReadonlyMap<string, string> = new Map(),
): FeatureGates<Name> {
  const problems: string[] = [];
  const warnings: string[] = [];
  const state = new Map<string, boolean>();
  const specs = new Map<string, FeatureSpec>(Object.entries(known));
  const read = (name: string, text: string): boolean | undefined => {
    try {
      return parseBool(text);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      const why = `strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`;
      problems.push(`--feature-gates: invalid value of ${name}=${text}, err: ${why}`);
      return undefined;
    }
  };
  for (const [name, spec] of specs) state.set(name, spec.default);
  for (const [group, stage] of GROUPS) {
    const text = settings.get(group);
    const value = text === undefined ? undefined : read(group, text);
    if (value === undefined) continue;
    for (const [name, spec] of specs) if (spec.stage === stage) state.set(name, value);
  }
  for (const [name, text] of settings) {
    if (GROUPS.has(name)) continue;
    const spec = specs.get(name);
    if (!spec) {
      problems.push(`--feature-gates: unrecognized feature gate: ${name}`);
      continue;
    }
    const value = read(name, text);
    if (value === undefined) continue;
    if (spec.stage === 'ga' && !value) {
      problems.push(`--feature-gates: cannot set feature gate ${name} to false, feature is locked to true`);
      continue;
    }
    if (spec.stage === 'ga') warnings.push(`Feature gate ${name} is GA and non-operational; it will be removed`);
    if (spec.stage === 'deprecated')
      warnings.push(`Feature gate ${name} is deprecated, still operational; it will be removed`);
    state.set(name, value);
  }
  if (problems.length > 0) throw new OptionsError(problems);
  return { enabled: (name) => state.get(name) === true, warnings };
}

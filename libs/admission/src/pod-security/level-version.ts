/** A level of the pod security standards. */
export type PodSecurityLevel = (typeof LEVELS)[number];

/** Levels from the least strict to the strictest. */
const LEVELS = ['privileged', 'baseline', 'restricted'] as const;

/** A level in the version of a release. */
export interface LevelVersion {
  /** The level. */
  readonly level: PodSecurityLevel;
  /** Minor version of the release, 27 for `v1.27`; {@link LATEST} for the newest. */
  readonly minor: number;
}

/** Minor version that is newer than every release. */
export const LATEST = Number.POSITIVE_INFINITY;

/** Thrown for a text that is no level, or no version; the message is the reason. */
export class PolicyError extends Error {}

/** Reads a level. @throws PolicyError */
export function parseLevel(text: string): PodSecurityLevel {
  const level = LEVELS.find((known) => known === text);
  if (level === undefined) throw new PolicyError(`must be one of ${LEVELS.join(', ')}`);
  return level;
}

/** Reads a version. @returns the minor of `v1.x`, or {@link LATEST}. @throws PolicyError */
export function parseVersion(text: string): number {
  if (text === 'latest') return LATEST;
  const minor = Number(/^v1\.(0|[1-9][0-9]*)$/.exec(text)?.[1] ?? Number.NaN);
  if (!Number.isSafeInteger(minor)) throw new PolicyError('must be "latest" or "v1.x"');
  return minor;
}

/** Returns a version as text: `v1.27`, `latest`. */
export const versionText = (minor: number): string => (minor === LATEST ? 'latest' : `v1.${minor}`);

/** Returns a level and version as text: `baseline:v1.27`. */
export const policyText = ({ level, minor }: LevelVersion): string => `${level}:${versionText(minor)}`;

/** Returns whether two policies have the same level and version. */
export const isSame = (a: LevelVersion, b: LevelVersion): boolean => a.level === b.level && a.minor === b.minor;

/** Returns whether two policies are equivalent: the version does not matter for the level that allows everything. */
export const isEquivalent = (a: LevelVersion, b: LevelVersion): boolean =>
  a.level === b.level && (a.minor === b.minor || a.level === 'privileged');

/** Compares two levels; negative if the first is less strict. */
export const compareLevels = (a: PodSecurityLevel, b: PodSecurityLevel): number =>
  LEVELS.indexOf(a) - LEVELS.indexOf(b);

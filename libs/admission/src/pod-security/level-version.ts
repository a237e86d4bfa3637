/** How much pods may, from everything to the least. */
export type Level = (typeof LEVELS)[number];

/** From the least strict to the most. */
const LEVELS = ['privileged', 'baseline', 'restricted'] as const;

/** A level as a release has it. */
export interface LevelVersion {
  readonly level: Level;
  /** Minor of the release, 27 for `v1.27`; {@link LATEST} for whatever is the newest. */
  readonly minor: number;
}

/** Newer than every release. */
export const LATEST = Number.POSITIVE_INFINITY;

/** What is wrong with a text that is no level, or no version. */
export class PolicyError extends Error {}

/** @throws PolicyError */
export function parseLevel(text: string): Level {
  const level = LEVELS.find((known) => known === text);
  if (level === undefined) throw new PolicyError(`must be one of ${LEVELS.join(', ')}`);
  return level;
}

/** @returns the minor of `v1.x`, or {@link LATEST}. @throws PolicyError */
export function parseVersion(text: string): number {
  if (text === 'latest') return LATEST;
  const minor = Number(/^v1\.(0|[1-9][0-9]*)$/.exec(text)?.[1] ?? Number.NaN);
  if (!Number.isSafeInteger(minor)) throw new PolicyError('must be "latest" or "v1.x"');
  return minor;
}

/** `v1.27`, `latest`. */
export const versionText = (minor: number): string => (minor === LATEST ? 'latest' : `v1.${minor}`);

/** `baseline:v1.27`. */
export const policyText = ({ level, minor }: LevelVersion): string => `${level}:${versionText(minor)}`;

export const isSame = (a: LevelVersion, b: LevelVersion): boolean => a.level === b.level && a.minor === b.minor;

/** Whether one comes to the same as the other: of what allows everything the release means nothing. */
export const isEquivalent = (a: LevelVersion, b: LevelVersion): boolean =>
  a.level === b.level && (a.minor === b.minor || a.level === 'privileged');

/** Negative where the first is less strict. */
export const compareLevels = (a: Level, b: Level): number => LEVELS.indexOf(a) - LEVELS.indexOf(b);

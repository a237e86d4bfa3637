/** Returns the parts of a release such as `1.27.16`; missing parts are 0. */
const partsOf = (release: string): readonly number[] => release.split('.').map(Number);

function compareReleases(one: string, other: string): number {
  const [left, right] = [partsOf(one), partsOf(other)];
  for (let at = 0; at < 3; at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Returns the first release of a release's minor version. */
const firstOfMinor = (release: string): string => release.split('.').slice(0, 2).join('.');

/** Whether a metric is deprecated in a release: it is still shown, with a note in its help. */
export const isDeprecatedIn = (since: string, release: string): boolean => compareReleases(since, release) <= 0;

/** Whether it was deprecated in an earlier minor version: it is only shown on request, and removed in the next. */
export const isHiddenIn = (since: string, release: string): boolean =>
  compareReleases(since, firstOfMinor(release)) < 0;

/**
 * Checks the value of `--show-hidden-metrics-for-version`: empty, or the minor version before `release`.
 * @throws RangeError for any other
 */
export function checkShownVersion(value: string, release: string): void {
  const [major = 0, minor = 0] = partsOf(release);
  const previous = `${major}.${minor - 1}`;
  if (value === '' || value === previous) return;
  throw new RangeError(`must be omitted or have the value '${previous}'. Only the previous minor version is allowed`);
}

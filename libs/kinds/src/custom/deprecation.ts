import { compareVersions, type JsonObject } from '@orch/machinery';
import { type Json, objectsAt, textAt } from '../values/fields.js';

/**
 * Returns the version that is recommended to users of deprecated ones: the newest that is served and not deprecated;
 * undefined for none.
 */
export const newestVersion = (definition: JsonObject): string | undefined =>
  objectsAt(definition, 'spec', 'versions')
    .filter((version) => version.served === true && version.deprecated !== true)
    .map((version) => textAt(version, 'name'))
    .reduce<string | undefined>(
      (best, name) => (best === undefined || compareVersions(best, name) < 0 ? name : best),
      undefined,
    );

/**
 * Returns the warning for users of a deprecated version, as the definition or the release words it; undefined for other
 * versions.
 * @param newest {@link newestVersion} of the definition
 */
export function versionWarning(
  definition: JsonObject,
  version: Readonly<Json>,
  newest: string | undefined,
): string | undefined {
  if (version.deprecated !== true) return undefined;
  const { deprecationWarning } = version;
  if (typeof deprecationWarning === 'string') return deprecationWarning;
  const [group, kind] = [textAt(definition, 'spec', 'group'), textAt(definition, 'spec', 'names', 'kind')];
  const name = textAt(version, 'name');
  const best = newest !== undefined && compareVersions(name, newest) < 0 ? newest : undefined;
  return `${group}/${name} ${kind} is deprecated${best === undefined ? '' : `; use ${group}/${best} ${kind}`}`;
}

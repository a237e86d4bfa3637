import { compareVersions, type JsonObject } from '@orch/machinery';
import { type Json, objectsAt, textAt } from '../values/fields.js';

/** What users of a version of a definition are warned of, in its own words or those of the release; undefined for nothing. */
export function versionWarning(definition: JsonObject, version: Readonly<Json>): string | undefined {
  if (version.deprecated !== true) return undefined;
  const { deprecationWarning } = version;
  if (typeof deprecationWarning === 'string') return deprecationWarning;
  const [group, kind] = [textAt(definition, 'spec', 'group'), textAt(definition, 'spec', 'names', 'kind')];
  const name = textAt(version, 'name');
  const [best] = objectsAt(definition, 'spec', 'versions')
    .filter((other) => other.served === true && other.deprecated !== true)
    .map((other) => textAt(other, 'name'))
    .filter((other) => compareVersions(name, other) < 0)
    .sort((a, b) => compareVersions(b, a));
  return `${group}/${name} ${kind} is deprecated${best === undefined ? '' : `; use ${group}/${best} ${kind}`}`;
}

import { formatApiVersion, namesOf } from '@orch/machinery';
import { loadScheme, type ResourceDefinition } from '@orch/schema';
import { code, table } from './table.js';

const release = (of: string | undefined): string => (of === undefined ? '' : `v${of}`);

function stateOf({ servedByDefault, lifecycle }: ResourceDefinition): readonly string[] {
  const { introduced, deprecated, removed, replacement } = lifecycle;
  return [
    servedByDefault ? 'yes' : 'no',
    release(introduced),
    release(deprecated),
    release(removed),
    replacement ? code(formatApiVersion(replacement)) : '',
  ];
}

/** Group versions in the order of discovery, with a row for all resources of one that are in the same state. */
export function versionTable(): string {
  const rows = new Map<string, { apiVersion: string; resources: string[]; state: readonly string[] }>();
  for (const resource of loadScheme(namesOf('kubernetes')).resources) {
    const [apiVersion, state] = [formatApiVersion(resource), stateOf(resource)];
    const key = JSON.stringify([apiVersion, state]);
    const known = rows.get(key) ?? { apiVersion, resources: [], state };
    known.resources.push(resource.resource);
    rows.set(key, known);
  }
  const cells = [...rows.values()].map(({ apiVersion, resources, state }) => [
    code(apiVersion),
    resources.map(code).join(', '),
    ...state,
  ]);
  return table(['version', 'resources', 'served by default', 'since', 'deprecated', 'gone', 'instead'], cells);
}

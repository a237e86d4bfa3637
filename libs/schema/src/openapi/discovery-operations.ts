import type { Field, StructSchema } from '../model.js';
import { documentedGroup } from './documented-group.js';
import { machineryPrefix } from './models.js';
import { camelGroup, lowerFirst, type OpenApiOp, objectTypes, upperFirst } from './operations.js';
import type { OpenApiSource } from './source.js';

/** Operations of discovery: the versions and groups that are served, the resources of each version, and the release. */
export function discoveryOperations(source: OpenApiSource): OpenApiOp[] {
  const { names } = source.scheme;
  const types = objectTypes(source);
  const discovery = (path: string, id: string, tag: string, description: string, kind: string): OpenApiOp => ({
    ...read(path, `get${id}`, tag, description, source.scheme.struct(`meta/v1.${kind}`)),
    consumes: types,
    produces: types,
  });
  const camel = (group: string) => camelGroup(group, names.group('orch.io'));
  const versions = [...new Map(source.groups.flatMap((group) => [...documentedGroup(group).versions]))];
  const groups = [...new Set(versions.map(([, { group }]) => group))].filter((group) => group !== '');
  return [
    discovery('/api', 'CoreAPIVersions', 'core', 'Read the versions of the group without a name.', 'APIVersions'),
    discovery('/apis', 'APIVersions', 'apis', 'Read the groups.', 'APIGroupList'),
    ...groups.map((group) => {
      const id = camel(group);
      return discovery(`/apis/${group}`, `${id}APIGroup`, lowerFirst(id), 'Read the versions of a group.', 'APIGroup');
    }),
    ...versions.map(([path, { group, version }]) => {
      const [id, tag] = [`${camel(group)}${upperFirst(version)}`, `${lowerFirst(camel(group))}_${version}`];
      return discovery(path, `${id}APIResources`, tag, 'Read the resources of a version.', 'APIResourceList');
    }),
    read('/version', 'getCodeVersion', 'version', 'Read the release of the server.', versionInfo(source)),
  ];
}

/** Returns the document of version 3 that contains an operation of {@link discoveryOperations}. */
export const documentOf = ({ path }: OpenApiOp): string => path.replaceAll(/^\/|\/$/g, '');

function read(path: string, operationId: string, tag: string, description: string, response: StructSchema): OpenApiOp {
  const json = ['application/json'];
  return {
    path: `${path}/`,
    method: 'get',
    operationId,
    tag,
    description,
    consumes: json,
    produces: json,
    parameters: [],
    response,
    codes: [200],
  };
}

const RELEASE_FIELDS = [
  'major',
  'minor',
  'gitVersion',
  'gitCommit',
  'gitTreeState',
  'buildDate',
  'goVersion',
  'compiler',
  'platform',
];

/** It has no kind: it is served as plain JSON. */
function versionInfo(source: OpenApiSource): StructSchema {
  const fields = RELEASE_FIELDS.map((name): [string, Field] => [
    name,
    { name, schema: { kind: 'string' }, description: '', required: true, pointer: false, omitEmpty: false },
  ]);
  const openapi = `${machineryPrefix(source)}.version.Info`;
  return {
    kind: 'struct',
    id: 'version.Info',
    openapi,
    description: 'The release of a server.',
    fields: new Map(fields),
  };
}

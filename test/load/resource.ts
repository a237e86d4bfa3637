import { Connection, type Endpoint, requestBytes } from './connection.js';

/** The type of objects that load is made with. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  /** Path of the collection in a namespace. */
  readonly path: string;
  /** Member with the filling of objects; `data` if absent. */
  readonly member?: string;
}

const NAMESPACE = 'bench';
/** Object bytes beside the filling, about; with it an object as the client sends it has 1 KiB. */
export const FILLING = 'x'.repeat(840);
const GROUP = 'bench.example.com';

/** ConfigMaps where they are served; else (servers of custom resources only) a custom resource without a schema. */
export async function benchResource(endpoint: Endpoint): Promise<Resource> {
  const connection = await Connection.open(endpoint);
  try {
    const path = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
    const served = await connection.request(requestBytes(endpoint, 'GET', `${path}?limit=1`));
    if (served.status === 404) return await customResource(connection, endpoint);
    return { apiVersion: 'v1', kind: 'ConfigMap', path };
  } finally {
    connection.close();
  }
}

/** The same type in an empty namespace of its own. Servers without namespaces take any name. */
export async function inNamespace(endpoint: Endpoint, resource: Resource, namespace: string): Promise<Resource> {
  const connection = await Connection.open(endpoint);
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await post(connection, endpoint, '/api/v1/namespaces', object);
  connection.close();
  return { ...resource, path: resource.path.replace(/\/namespaces\/[^/]+\//, `/namespaces/${namespace}/`) };
}

async function customResource(connection: Connection, endpoint: Endpoint): Promise<Resource> {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  await post(connection, endpoint, definitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
  const path = `/apis/${GROUP}/v1/namespaces/${NAMESPACE}/widgets`;
  for (let tries = 0; tries < 1000; tries++) {
    const answer = await connection.request(requestBytes(endpoint, 'GET', `${path}?limit=1`));
    if (answer.status === 200) return { apiVersion: `${GROUP}/v1`, kind: 'Widget', path };
  }
  throw new Error('the custom resource did not become served');
}

/** The version that a collection has at present. */
export async function presentVersion(endpoint: Endpoint, resource: Resource): Promise<string> {
  const connection = await Connection.open(endpoint);
  const answer = await connection.request(requestBytes(endpoint, 'GET', `${resource.path}?limit=1`), true);
  connection.close();
  const version = /"resourceVersion":"(\d+)"/.exec(answer.body.toString())?.[1];
  if (version === undefined) throw new Error(`${resource.path}: no version in an answer ${answer.status}`);
  return version;
}

/** Creates an object; it may be there already, and its type may not be served. */
async function post(connection: Connection, endpoint: Endpoint, path: string, object: object): Promise<void> {
  const answer = await connection.request(requestBytes(endpoint, 'POST', path, JSON.stringify(object)), true);
  if (answer.status >= 300 && answer.status !== 409 && answer.status !== 404)
    throw new Error(`${path}: ${answer.status} ${answer.body}`);
}

/** A type of the core group in the namespace of `resource`; undefined where it is not served. */
export const coreResource = (endpoint: Endpoint, resource: Resource, kind: 'Pod' | 'Event') =>
  builtInResource(endpoint, resource, { apiVersion: 'v1', kind });

/** A built-in type in the namespace of `resource`; undefined where it is not served. */
export async function builtInResource(
  endpoint: Endpoint,
  resource: Resource,
  { apiVersion, kind }: Pick<Resource, 'apiVersion' | 'kind'>,
): Promise<Resource | undefined> {
  const connection = await Connection.open(endpoint);
  const root = apiVersion === 'v1' ? '/api' : '/apis';
  const path = `${root}/${apiVersion}/namespaces/${namespaceOf(resource)}/${kind.toLowerCase()}s`;
  const { status } = await connection.request(requestBytes(endpoint, 'GET', `${path}?limit=1`));
  connection.close();
  return status === 200 ? { apiVersion, kind, path } : undefined;
}

export function namespaceOf({ path }: Resource): string {
  return /\/namespaces\/([^/]+)\//.exec(path)?.[1] ?? '';
}

export interface ObjectSettings {
  /** When it is sent, in milliseconds of the machine's clock. */
  readonly sent: number;
  /** The version that it replaces. */
  readonly version?: string;
  /** Bytes of its filling; absent, an object as the client sends it has 1 KiB. */
  readonly filling?: number;
}

/** An object of some size that says when it was sent. A pod is on the node of its own name. */
export function objectBody(resource: Resource, name: string, settings: ObjectSettings): string {
  const { apiVersion, kind, member = 'data' } = resource;
  const { sent, version, filling } = settings;
  const versioned = version === undefined ? '' : `"resourceVersion":"${version}",`;
  const text = filling === undefined ? FILLING : 'x'.repeat(filling);
  const content = `{"filling":"${text}","sent":"${sent.toFixed(3)}"}`;
  const metadata = `"name":"${name}",${versioned}"labels":{"app":"bench","tier":"load"}`;
  const head = `{"apiVersion":"${apiVersion}","kind":"${kind}","metadata":{${metadata}`;
  if (kind === 'Pod') {
    const spec = `{"nodeName":"${name}","containers":[{"name":"main","image":"example.com/main"}]}`;
    return `${head},"annotations":${content}},"spec":${spec}}`;
  }
  if (kind === 'Event') {
    const involved = `{"kind":"Pod","namespace":"${namespaceOf(resource)}","name":"${name}"}`;
    return `${head},"annotations":${content}},"involvedObject":${involved},"reason":"Bench","type":"Normal"}`;
  }
  return `${head}},"${member}":${content}}`;
}

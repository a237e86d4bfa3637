/**
 * Whether anything is written to a cluster at rest: watches every resource for some time, and ends with 1 where an object has changed that
 * is no lease. Usage: `npx tsx test/clients/at-rest.ts KUBECONFIG [SECONDS]`, with kubectl on the path; beside the server may run whatever
 * is not to write, as kube-controller-manager with `--leader-elect=false`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const LEASES = 'leases';

interface Written {
  readonly type: string;
  readonly object: {
    readonly metadata: { readonly namespace?: string; readonly name?: string };
  };
}

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[];
}

const [kubeconfig, seconds = '180'] = process.argv.slice(2);
if (kubeconfig === undefined) throw new Error('usage: at-rest.ts KUBECONFIG [SECONDS]');
const proxy = spawn('kubectl', ['--kubeconfig', kubeconfig, 'proxy', '--port=0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const [line] = (await once(createInterface(proxy.stdout), 'line')) as [string];
  const server = `http://${line.replace(/^.* /, '')}`;
  const paths = await watchable(server);
  const written = (await Promise.all(paths.map((path) => changes(server, path)))).flat();
  for (const one of written) console.log(one);
  console.log(`${paths.length} resources watched for ${seconds} s: ${written.length} writes`);
  process.exitCode = written.length > 0 ? 1 : 0;
} finally {
  proxy.kill();
}

async function json<T>(url: string): Promise<T> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return (await answer.json()) as T;
}

/** Paths of all that can be watched, each group in the version that it prefers. */
async function watchable(server: string): Promise<string[]> {
  interface Groups {
    readonly groups: readonly { readonly preferredVersion: { readonly groupVersion: string } }[];
  }
  const { groups } = await json<Groups>(`${server}/apis`);
  const versions = ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
  const lists = await Promise.all(versions.map((path) => json<ResourceList>(`${server}${path}`)));
  return lists.flatMap(({ resources }, at) =>
    resources
      .filter(({ name, verbs }) => verbs.includes('watch') && name !== LEASES)
      .map(({ name }) => `${versions[at]}/${name}`),
  );
}

/** What is written of one resource, a line each. */
async function changes(server: string, path: string): Promise<string[]> {
  interface List {
    readonly metadata: { readonly resourceVersion: string };
  }
  const { metadata } = await json<List>(`${server}${path}?limit=1`);
  const query = `watch=1&timeoutSeconds=${seconds}&resourceVersion=${metadata.resourceVersion}`;
  const text = await (await fetch(`${server}${path}?${query}`)).text();
  return text
    .split('\n')
    .filter((each) => each !== '')
    .map((each) => {
      const { type, object } = JSON.parse(each) as Written;
      return `${path} ${type} ${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`;
    });
}

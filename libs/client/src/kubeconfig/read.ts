import { type Names, namesOf } from '@orch/machinery';
import type { EnvironmentVariables } from '@orch/runtime';
import type { ClientUser, Connection } from '../connection.js';
import { pluginExtension } from '../credentials/exec-plugin.js';
import { type EntryReader, KubeconfigError } from './entry-reader.js';
import { inClusterConnection } from './in-cluster.js';
import { type Kubeconfig, kubeconfigFiles, parseKubeconfig, parseKubeconfigs } from './kubeconfig.js';
import { readCluster } from './read-cluster.js';
import { readUser } from './read-user.js';

/** Options for reading a kubeconfig. */
export interface KubeconfigOptions {
  /** Name of the context. Default: the current one. */
  readonly context?: string;
  /** The server's naming profile, in which credential plugins are configured. Default: the names of `orch`. */
  readonly names?: Names;
}

/**
 * Returns the connection of a context of one file; webhooks are configured in this way too. Relative paths are relative
 * to the file. Credentials are left out if the server is not reached by TLS. Throws {@link KubeconfigError}.
 */
export async function readKubeconfig(file: string, options: KubeconfigOptions = {}): Promise<Connection> {
  return connectionOf(await parseKubeconfig(file), file, options);
}

/**
 * Returns the connection for a command line client: that of `file`; without one, of the files of `KUBECONFIG` or
 * `~/.kube/config`; if none of them exists, that of the pod that this process runs in. Throws {@link KubeconfigError}.
 */
export async function loadConnection(
  options: KubeconfigOptions & { readonly file?: string; readonly env?: EnvironmentVariables } = {},
): Promise<Connection> {
  const { file, env = process.env, names = namesOf('orch') } = options;
  if (file !== undefined) return readKubeconfig(file, options);
  const files = kubeconfigFiles(env);
  const config = await parseKubeconfigs(files);
  if (config.clusters.size > 0 || options.context !== undefined) return connectionOf(config, files.join(', '), options);
  const here = await inClusterConnection({ names, env });
  if (!here) throw new KubeconfigError(`no configuration has been provided: there is none in ${files.join(', ')}`);
  return here;
}

async function connectionOf(config: Kubeconfig, where: string, options: KubeconfigOptions): Promise<Connection> {
  const { names = namesOf('orch'), context: chosen = config.currentContext } = options;
  if (!chosen) throw new KubeconfigError(`${where}: no context is chosen`);
  const context = entryNamed(config.contexts, 'contexts', chosen, where);
  const clusterEntry = entryNamed(config.clusters, 'clusters', context.text('cluster') ?? '', where);
  const userName = context.text('user');
  const cluster = await readCluster(clusterEntry);
  const user = userName ? await readUser(entryNamed(config.users, 'users', userName, where), names) : {};
  const namespace = context.text('namespace');
  return {
    ...cluster,
    ...(cluster.server.startsWith('https:') ? withExtension(user, clusterEntry, names) : identity(user)),
    ...(namespace && { namespace }),
  };
}

function entryNamed(entries: ReadonlyMap<string, EntryReader>, list: string, name: string, where: string): EntryReader {
  const entry = entries.get(name);
  if (!entry) throw new KubeconfigError(`${where}: ${list} has no entry named ${JSON.stringify(name)}`);
  return entry;
}

/** Adds the cluster's configuration for the plugin. */
function withExtension(user: ClientUser, cluster: EntryReader, names: Names): ClientUser {
  if (!user.exec) return user;
  const wanted = pluginExtension(names);
  const extension = cluster.list('extensions').find((entry) => entry.text('name') === wanted);
  const config = extension?.raw('extension');
  return config === undefined ? user : { ...user, exec: { ...user.exec, config } };
}

/** Secrets are never sent in the clear. */
const identity = ({ impersonate }: ClientUser): ClientUser => (impersonate ? { impersonate } : {});

import { type Connection, loadConnection } from '@orch/client';
import type { Names } from '@orch/machinery';
import type { SchedulerOptionValues } from './options.js';

/** Connections of the process to the API. */
export interface SchedulerConnections {
  /** Connection of the scheduler itself. */
  readonly own: Connection;
  /** Connection on which callers of the port are authenticated. */
  readonly authentication: Connection;
  /** Connection on which they are authorized. */
  readonly authorization: Connection;
}

/**
 * Returns the connections that options tell. @param fileOfConfiguration kubeconfig that the configuration names, which wins; empty for none
 * @throws KubeconfigError
 */
export async function connectionsOf(
  options: Pick<
    SchedulerOptionValues,
    'kubeconfig' | 'master' | 'authenticationKubeconfig' | 'authorizationKubeconfig'
  >,
  fileOfConfiguration: string,
  names: Names,
): Promise<SchedulerConnections> {
  const { master, authenticationKubeconfig, authorizationKubeconfig } = options;
  const load = (file: string | undefined) => loadConnection({ names, ...(file !== undefined && { file }) });
  const file = fileOfConfiguration || options.kubeconfig;
  // An address alone is enough, for an API that asks for no credentials.
  const base = master !== undefined && file === undefined ? { server: master } : await load(file);
  const own = { ...base, ...(master !== undefined && { server: master }) };
  const other = async (file: string | undefined) => (file === undefined ? own : load(file));
  return {
    own,
    authentication: await other(authenticationKubeconfig),
    authorization: await other(authorizationKubeconfig),
  };
}

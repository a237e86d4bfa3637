import { type Names, namesOf } from '@orch/machinery';

/** Whether a plugin uses the terminal: never, if there is one, or it requires one. */
export type InteractiveMode = 'Never' | 'IfAvailable' | 'Always';

/** A program that prints credentials (spec: "Client-side credential plugin"). */
export interface ExecPlugin {
  /**
   * Version of the plugin interface: `client.authentication.orch.io/v1` or `…/v1beta1`, in the names of the profile.
   */
  readonly apiVersion: string;
  /** Path, or a name to look up in `PATH`. */
  readonly command: string;
  /** Its arguments. */
  readonly args?: readonly string[];
  /** Variables beside those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Message for users who have not installed it. */
  readonly installHint?: string;
  /** Whether it gets the server's data (cluster info). Default false. */
  readonly provideClusterInfo?: boolean;
  /** Whether it may use the terminal. */
  readonly interactiveMode: InteractiveMode;
  /** Configuration of the cluster for the plugin; any JSON. */
  readonly config?: unknown;
}

const GROUP = 'client.authentication.orch.io';

/** The versions of the plugin interface, as a configuration names them. */
export const pluginVersions = (names: Names) => {
  const group = names.group(GROUP);
  return { v1: `${group}/v1`, v1beta1: `${group}/v1beta1` };
};

/** Name of the entry for plugins in a cluster's `extensions`. */
export const pluginExtension = (names: Names): string => `${names.group(GROUP)}/exec`;

/**
 * Returns the variable that plugins of a version read their `ExecCredential` from: `ORCH_EXEC_INFO`; undefined for an
 * unknown version.
 */
export function pluginVariable(apiVersion: string): string | undefined {
  const names = [namesOf('orch'), namesOf('kubernetes')].find((profile) =>
    Object.values(pluginVersions(profile)).includes(apiVersion),
  );
  return names && `${names.product.toUpperCase()}_EXEC_INFO`;
}

import type { OptionDefinitions } from './definition.js';

/** Variables by name, as in `process.env`. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

const PREFIX = 'ORCH_';

/** Returns the environment variable of an option: `ORCH_POSTGRES_URL` for `postgres-url`. */
export const variableOf = (option: string): string => PREFIX + option.toUpperCase().replaceAll('-', '_');

/**
 * Returns an option's value in the environment. An empty variable counts as unset, as programs that forward variables
 * leave them.
 */
export function givenIn(option: string, env: EnvironmentVariables): string | undefined {
  const name = variableOf(option);
  const value = env[name];
  return value === undefined || value === '' || isServiceLink(name, value) ? undefined : value;
}

/** Returns variables that look like options and are none, in alphabetical order. */
export function unknownVariables(definitions: OptionDefinitions, env: EnvironmentVariables): string[] {
  const known = new Set(Object.keys(definitions).map(variableOf));
  return Object.entries(env)
    .filter(([name, value = '']) => name.startsWith(PREFIX) && !known.has(name) && !isServiceLink(name, value))
    .map(([name]) => name)
    .sort();
}

/**
 * Whether a kubelet has set a variable for a Service of that name in the namespace (`enableServiceLinks` of a pod): for
 * a Service `orch-secure` one has the name of the option `--secure-port`.
 */
const isServiceLink = (name: string, value: string): boolean =>
  /_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name) ||
  (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value));

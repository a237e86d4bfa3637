import type { OptionDefinitions, Options, Output } from '@orch/runtime';

/** Streams and environment of a command. */
export interface CommandIO {
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Returns the variables that set options of a command; those of servers are left out. */
export function ownVariables(
  { definitions }: Pick<Options<OptionDefinitions>, 'definitions'>,
  env: CommandIO['env'],
): CommandIO['env'] {
  const variables = Object.keys(definitions).map((name) => `ORCH_${name.toUpperCase().replaceAll('-', '_')}`);
  return Object.fromEntries(variables.map((variable) => [variable, env[variable]]));
}

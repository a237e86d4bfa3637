import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { agentOptions, type NodeAgentOptions, nodeNameOf, readAgentOptions } from '@orch/agent';
import type { Options } from '@orch/runtime';

/** Options of `orch node-agent`: those of the command line, over those of the file that `--config` names. */
export const nodeAgentOptions: Options<typeof agentOptions.definitions> = {
  ...agentOptions,
  parse: (argv, env = {}) => readAgentOptions(argv, env, (path) => readFileSync(path, 'utf8')),
};

/** Returns the name of the node that an agent with these options has on this machine. */
export const nodeNameFor = ({ hostnameOverride }: NodeAgentOptions): string => nodeNameOf(hostname(), hostnameOverride);

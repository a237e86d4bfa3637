import { readFileSync } from 'node:fs';
import { agentOptions, readAgentOptions } from '@orch/agent';
import type { Options } from '@orch/runtime';

/** Options of `orch node-agent`: those of the command line, over those of the file that `--config` names. */
export const nodeAgentOptions: Options<typeof agentOptions.definitions> = {
  ...agentOptions,
  parse: (argv, env = {}) => readAgentOptions(argv, env, (path) => readFileSync(path, 'utf8')),
};

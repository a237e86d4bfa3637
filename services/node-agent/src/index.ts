import { nodeAgentOptions } from '@orch/agent-process';
import { type OptionDefinitions, readCommandLine } from '@orch/runtime';

/** Every option of this command, as the reference of options lists them. */
export const definitions: OptionDefinitions = nodeAgentOptions.definitions;

/** `orch node-agent`: runs the pods that are bound to this machine. Resolves with the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const line = readCommandLine(nodeAgentOptions, args, 'orch node-agent [options]');
  if (!line.run) return line.exitCode;
  const { runNodeAgent } = await import('./run.js');
  return runNodeAgent(line.values);
}

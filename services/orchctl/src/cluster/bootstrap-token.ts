import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type NamingProfile, namesOf } from '@orch/machinery';
import { defineOptions, type OptionValues, readCommandLine, systemClock } from '@orch/runtime';
import { type CommandIO, ownVariables } from '../command-io.js';
import { printed } from '../printed.js';
import { clusterOptions } from './cluster-options.js';
import { type JoinSettings, joinManifests } from './join-manifests.js';

const TOKEN = /^[a-z0-9]{6}\.[a-z0-9]{16}$/;
const GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** @throws RangeError */
function checkGroups(groups: readonly string[]): void {
  for (const group of groups)
    if (!GROUP.test(group)) throw new RangeError(`${JSON.stringify(group)} does not match ${GROUP.source}`);
}

/** Checks a token; its message does not quote the token, which is a secret. @throws RangeError */
function checkToken(token: string): void {
  if (!TOKEN.test(token)) throw new RangeError(`does not match ${TOKEN.source}`);
}

const definitions = {
  ...clusterOptions,
  token: {
    type: 'string',
    check: checkToken,
    help: 'The token, id.secret; give it as ORCH_TOKEN. Default: a random one.',
  },
  ttl: { type: 'duration', default: 86_400_000, min: 0, help: 'Time until the token expires; 0: never.' },
  group: {
    type: 'list',
    default: [],
    check: checkGroups,
    help: 'Groups of those who come with the token, beside system:bootstrappers; may be repeated.',
  },
  description: { type: 'string', help: 'What the token is for.' },
  output: { type: 'string', short: 'o', choices: ['yaml', 'json'], default: 'yaml', help: 'Form of the output.' },
  naming: {
    type: 'string',
    choices: ['orch', 'kubernetes'] as NamingProfile[],
    default: 'orch',
    help: 'Names of API groups, as the servers are started.',
  },
} as const;

const options = defineOptions(definitions);

/**
 * `orchctl bootstrap-token`: prints the objects by which nodes join with a bootstrap token, for `kubectl apply`.
 * Resolves with the exit code.
 */
export async function bootstrapToken(args: readonly string[], around: CommandIO = process): Promise<number> {
  const { stdout, stderr, env } = around;
  const usage = 'orchctl bootstrap-token --server=URL [options]';
  const line = readCommandLine(options, args, usage, { stdout, stderr, env: ownVariables(options, env) });
  if (!line.run) return line.exitCode;
  try {
    stdout.write(printed(joinManifests(await settingsOf(line.values)), line.values.output));
    return 0;
  } catch (error) {
    stderr.write(`Error: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

/** @throws Error for a file that cannot be read */
async function settingsOf(values: OptionValues<typeof definitions>): Promise<JoinSettings> {
  const { server, serverCaFile, certDir, token, ttl, group, description, naming } = values;
  return {
    server,
    ca: await readFile(serverCaFile ?? join(certDir, 'ca.crt'), 'utf8'),
    tokenId: token?.slice(0, 6) ?? randomText(6),
    tokenSecret: token?.slice(7) ?? randomText(16),
    expires: ttl === 0 ? undefined : new Date(systemClock.wall() + ttl),
    groups: group,
    description,
    names: namesOf(naming),
  };
}

/** Returns random letters and digits. */
const randomText = (length: number): string =>
  Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

import { defineOptions, readCommandLine } from '@orch/runtime';
import type { MigrationStep } from '@orch/storage';
import { migrateDatabase } from '@orch/storage/roles';
import { type CommandIO, ownVariables } from '../command-io.js';
import { furtherSchemas, serverRoles, storageOptions, told } from './storage-options.js';

const options = defineOptions({
  ...storageOptions,
  'postgres-url': { ...storageOptions['postgres-url'], required: true },
  naming: {
    type: 'string',
    choices: ['orch', 'kubernetes'],
    default: 'orch',
    help: 'API names on the wire: the value of --naming of the servers of the installation. It is recorded in a new database.',
  },
});

/**
 * `orchctl storage migrate`: brings the schemas of an installation to what this release needs, as the role that owns
 * them, and gives the roles of servers their rights to what is new. Resolves with the exit code.
 */
export async function migrate(args: readonly string[], around: CommandIO = process): Promise<number> {
  const { stdout, stderr, env } = around;
  const usage = 'orchctl storage migrate [options]';
  const line = readCommandLine(options, args, usage, { stdout, stderr, env: ownVariables(options, env) });
  if (!line.run) return line.exitCode;
  const { postgresUrl: url, naming } = line.values;
  try {
    const observer = { migration: (step: MigrationStep) => stderr.write(progressOf(step)) };
    const order = { url, naming, roles: serverRoles(line.values), further: furtherSchemas(line.values), observer };
    for (const { name, newest } of await migrateDatabase(order)) stdout.write(`the schema ${name} is at ${newest}\n`);
    return 0;
  } catch (error) {
    stderr.write(told(error));
    return 1;
  }
}

/** Formats the progress of a migration as one line. */
function progressOf({ schema, name, state, ms }: MigrationStep): string {
  const seconds = Math.round(ms / 1000);
  if (state === 'waits') return `the schema ${schema} is being migrated by another process: waiting (${seconds} s)\n`;
  const lasted = state === 'begins' ? '' : ` (${seconds} s)`;
  return `the schema ${schema}: ${name} ${PROGRESS[state]}${lasted}\n`;
}

const PROGRESS = { begins: 'begins', lasts: 'is under way', ended: 'is done' } as const;

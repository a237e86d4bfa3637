import { defineOptions, readCommandLine } from '@orch/runtime';
import { restoreEmbedded } from '@orch/storage/embedded';
import { type CommandIO, ownVariables } from '../command-io.js';
import { told } from '../storage/storage-options.js';
import { backupOptions, databaseIn } from './backup-options.js';
import { untilBrokenOff } from './broken-off.js';
import { progressTo } from './progress.js';

const options = defineOptions({
  ...backupOptions,
  file: { type: 'string', required: true, help: 'File that orchctl backup has created.' },
});

/**
 * `orchctl restore`: makes the database of an `orch standalone` from a backup, where there is none. Resolves with the
 * exit code; where it fails, or a signal aborts it, no database is left.
 */
export async function restore(args: readonly string[], around: CommandIO = process): Promise<number> {
  const { stdout, stderr, env } = around;
  const usage = 'orchctl restore --file=FILE [options]';
  const line = readCommandLine(options, args, usage, { stdout, stderr, env: ownVariables(options, env) });
  if (!line.run) return line.exitCode;
  const { file, dataDir } = line.values;
  const onProgress = progressTo(stderr);
  try {
    await untilBrokenOff((signal) => restoreEmbedded({ dataDir: databaseIn(dataDir), file, onProgress, signal }));
    stdout.write(`${databaseIn(dataDir)} holds what ${file} did\n`);
    return 0;
  } catch (error) {
    stderr.write(told(error));
    return 1;
  }
}

import { stat } from 'node:fs/promises';
import { defineOptions, readCommandLine } from '@orch/runtime';
import { backUpEmbedded } from '@orch/storage/embedded';
import { type CommandIO, ownVariables } from '../command-io.js';
import { told } from '../storage/storage-options.js';
import { backupOptions, databaseIn } from './backup-options.js';
import { untilBrokenOff } from './broken-off.js';
import { inMebibytes, progressTo } from './progress.js';

const options = defineOptions({
  ...backupOptions,
  file: {
    type: 'string',
    required: true,
    help: 'File to create, readable only by its owner. An existing file is not replaced.',
  },
});

/**
 * `orchctl backup`: copies the database of a running `orch standalone` into a file. Resolves with the exit code; a
 * signal breaks it off, and nothing is left of the file.
 */
export async function backup(args: readonly string[], around: CommandIO = process): Promise<number> {
  const { stdout, stderr, env } = around;
  const usage = 'orchctl backup --file=FILE [options]';
  const line = readCommandLine(options, args, usage, { stdout, stderr, env: ownVariables(options, env) });
  if (!line.run) return line.exitCode;
  const { file, dataDir } = line.values;
  const onProgress = progressTo(stderr);
  try {
    await untilBrokenOff((signal) => backUpEmbedded({ dataDir: databaseIn(dataDir), file, onProgress, signal }));
    stdout.write(`${file}: ${inMebibytes((await stat(file)).size)}\n`);
    return 0;
  } catch (error) {
    stderr.write(told(error));
    return 1;
  }
}

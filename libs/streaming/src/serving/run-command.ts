import type { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ProcessStreams } from '@orch/container-runtime';
import { StatusError } from '@orch/machinery';
import type { CommandChannels } from './command-channels.js';
import { readSizes } from './terminal-sizes.js';

/** Joins a client with the streams of a process until either ends; the client is told how the process did. */
export async function runCommand(channels: CommandChannels, streams: ProcessStreams): Promise<void> {
  const left = channels.closed.then(() => streams.close());
  joinInput(channels.stdin, streams.stdin);
  readSizes(channels.resize, (columns, rows) => streams.resize(columns, rows));
  const outputs = [passOutput(streams.stdout, channels.stdout), passOutput(streams.stderr, channels.stderr)];
  const end = await Promise.race([streams.exit.then(exitStatus, failure), left]);
  if (!end) return;
  await Promise.race([Promise.all(outputs), left]);
  const text = channels.hasStatus ? JSON.stringify(end) : (end.message ?? '');
  for (const output of [channels.stdout, channels.stderr]) output?.end();
  channels.error.end(text);
  await Promise.race([finished(channels.error, { readable: false }).catch(() => undefined), left]);
  channels.end();
  await left;
}

function joinInput(from: Readable | undefined, to: Writable | undefined): void {
  if (!from) return;
  from.on('error', () => undefined);
  if (!to) return void from.resume();
  // A process that has closed its input reads no more; what comes then is dropped.
  const drop = (): void => {
    from.unpipe(to);
    from.resume();
  };
  to.on('error', drop).on('close', drop);
  from.pipe(to);
}

async function passOutput(from: Readable | undefined, to: Writable | undefined): Promise<void> {
  if (!from) return;
  if (to)
    from.pipe(
      to.on('error', () => from.resume()),
      { end: false },
    );
  else from.resume();
  await finished(from, { writable: false }).catch(() => undefined);
}

/** The end of a command as clients read it: a Status of which the usual fields alone are sent. */
interface CommandEnd {
  readonly metadata: object;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: object;
  readonly code?: number;
}

function exitStatus(code: number): CommandEnd {
  if (code === 0) return { metadata: {}, status: 'Success' };
  return {
    ...{ metadata: {}, status: 'Failure', reason: 'NonZeroExitCode' },
    message: `command terminated with non-zero exit code: command terminated with exit code ${code}`,
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}

function failure(error: unknown): CommandEnd {
  const why = `error executing command in container: ${error instanceof Error ? error.message : String(error)}`;
  const causes = [{ message: why }];
  const { status } = new StatusError('InternalError', `Internal error occurred: ${why}`, { causes });
  const { apiVersion: _version, kind: _kind, ...end } = status;
  return end as CommandEnd;
}

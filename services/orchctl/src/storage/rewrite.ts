import { rewriteStorage, rewritingOptions } from '@orch/apiserver';
import { createLogger, defineOptions, readCommandLine } from '@orch/runtime';
import { type CommandIO, ownVariables } from '../command-io.js';
import { told } from './storage-options.js';

const options = defineOptions({
  ...rewritingOptions,
  rate: {
    type: 'int',
    default: 200,
    min: 1,
    max: 100_000,
    help: 'Maximum number of objects that are written per second, so that servers and watches are not slowed.',
  },
  check: {
    type: 'bool',
    help: 'Write nothing, and print how many objects would be written. The exit code is 3 if there are any.',
  },
});

/** Exit code of `--check` where objects are outdated. */
const OUTDATED = 3;
/** Objects that cannot be read are named up to so many. */
const NAMED = 20;

/**
 * `orchctl storage rewrite`: rewrites every object whose encryption differs from what the encryption configuration says
 * now. Resolves with the exit code: 1 where some could not be read.
 */
export async function rewrite(args: readonly string[], around: CommandIO = process): Promise<number> {
  const { stdout, stderr, env } = around;
  const usage = 'orchctl storage rewrite [options]';
  const line = readCommandLine(options, args, usage, { stdout, stderr, env: ownVariables(options, env) });
  if (!line.run) return line.exitCode;
  const { values } = line;
  let [stopped, named] = [false, 0];
  const stop = () => {
    stopped = true;
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const { current, rewritten, unreadable } = await rewriteStorage({
      values,
      rate: values.rate,
      looksOnly: values.check,
      logger: createLogger({ format: 'text', verbosity: 0, write: (text) => stderr.write(text) }),
      stopped: () => stopped,
      onProgress: (type, so, ended) => stdout.write(`${type}: ${shown(so, values.check)}${ended ? '' : ' …'}\n`),
      onUnreadable(error) {
        if (++named <= NAMED) stderr.write(told(error));
      },
    });
    stdout.write(`${stopped ? 'broken off' : 'all'}: ${shown({ current, rewritten, unreadable }, values.check)}\n`);
    if (unreadable > 0 || stopped) return 1;
    return values.check && rewritten > 0 ? OUTDATED : 0;
  } catch (error) {
    stderr.write(told(error));
    return 1;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

interface Counts {
  readonly current: number;
  readonly rewritten: number;
  readonly unreadable: number;
}

const shown = ({ current, rewritten, unreadable }: Counts, looksOnly: boolean): string =>
  [
    `${rewritten} ${looksOnly ? 'to be written' : 'written'}`,
    `${current} as they should be`,
    ...(unreadable > 0 ? [`${unreadable} that cannot be read`] : []),
  ].join(', ');

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { which } from '../../../tools/up/index.js';
import { strike } from '../adversary/adversary.js';
import { rest } from '../traffic/context.js';
import { scaled, tortured } from './scenario.js';

export const redisFaults = tortured(
  { name: 'redis', fault: 'Redis is killed, flushed, and full', pass: 'V1–V7: correctness is untouched' },
  (settings) => ({
    faults: async (stage) => {
      const { redis } = stage.cluster;
      for (let i = 0; i < scaled(settings, 10, 1); i++) {
        await strike(stage, redis, stage.random.between(0, 2_000));
        const port = portOf(redis.pid);
        command(port, ['FLUSHALL']);
        command(port, ['CONFIG', 'SET', 'maxmemory', '1']);
        await rest(1_000, stage.signal);
        command(port, ['CONFIG', 'SET', 'maxmemory', '0']);
      }
    },
  }),
);

/** As its command line has it, which Redis rewrites once it is up. */
function portOf(pid: number): string {
  const title = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  const port = /(?:--port\0|127\.0\.0\.1:)(\d+)/.exec(title)?.[1];
  if (port === undefined) throw new Error(`no port in the title of Redis: ${title}`);
  return port;
}

function command(port: string, words: readonly string[]): void {
  const program = which('redis-cli');
  if (program === undefined) throw new Error('redis-cli is not installed');
  execFileSync(program, ['-h', '127.0.0.1', '-p', port, ...words], { stdio: 'ignore' });
}

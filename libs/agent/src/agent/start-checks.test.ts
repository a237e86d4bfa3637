import { silentLogger } from '@orch/runtime';
import { describe, expect, it } from 'vitest';
import { agentOptions } from '../options/agent-options.js';
import { checkMachine } from './start-checks.js';

describe('an agent that starts', () => {
  const HEAD = 'Filename Type Size Used Priority\n';
  async function check(argv: string[], contents: Record<string, string> = {}, mayWrite = true) {
    const [warnings, written]: [string[], string[]] = [[], []];
    const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
    const files = {
      read: async (path: string) => contents[path],
      async write(path: string, text: string) {
        if (!mayWrite) throw new Error('EACCES');
        written.push(`${path} ${text}`);
      },
    };
    await checkMachine(agentOptions.parse(argv).values, logger, files);
    return { warnings, written };
  }

  it('--oom-score-adj: sets its own score, or says that it may not', async () => {
    expect(await check([])).toEqual({ warnings: [], written: ['/proc/self/oom_score_adj -999'] });
    expect((await check([], {}, false)).warnings).toHaveLength(1);
  });

  it('--fail-swap-on: refuses swap, unless it is allowed', async () => {
    const swaps = { '/proc/swaps': `${HEAD}/dev/sda2 partition 1 0 -2\n` };
    await expect(check([], swaps)).rejects.toThrow('swaps: /dev/sda2');
    expect((await check(['--fail-swap-on=false'], swaps)).warnings).toEqual([]);
    expect((await check([], { '/proc/swaps': HEAD })).warnings).toEqual([]);
  });

  it.each([['--cgroup-driver=systemd', 'systemd is not the init process of this machine (sh is)']])(
    'refuses %s',
    async (argument, message) => {
      await expect(check([argument], { '/proc/1/comm': 'sh\n' })).rejects.toThrow(message);
    },
  );

  it('--hairpin-mode: another one than the default is a warning, as the runtime makes the network', async () => {
    expect((await check(['--hairpin-mode=hairpin-veth'])).warnings).toEqual([
      expect.stringContaining('--hairpin-mode'),
    ]);
    expect((await check(['--hairpin-mode=promiscuous-bridge'])).warnings).toEqual([]);
  });

  it('warns of containers that are processes', async () => {
    expect((await check(['--container-runtime-endpoint=process:'])).warnings).toHaveLength(1);
  });
});

import type { Logger } from '@orch/runtime';
import { silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import { describe, expect, it } from 'vitest';
import { IptablesChains } from './iptables-chains.js';
import { limitOpenFiles } from './open-files.js';

function warnings(): { all: string[]; logger: Logger } {
  const all: string[] = [];
  return { all, logger: { ...silentLogger, warn: (message: string) => void all.push(message) } };
}

/** A table of chains and rules that iptables would have. */
class Tables {
  readonly lines: string[] = [];

  run = async (program: string, [, , , table, op, chain, ...args]: readonly string[]): Promise<string> => {
    const key = (rest: readonly string[]) => [program, table, chain, ...rest].join(' ');
    if (op === '-S' && !this.lines.includes(key([]))) throw new Error('no chain');
    if (op === '-C' && !this.lines.includes(key(args))) throw new Error('no rule');
    if (op === '-N') this.lines.push(key([]));
    if (op === '-I') this.lines.unshift(key(args));
    if (op === '-A') this.lines.push(key(args));
    return '';
  };
}

describe('IptablesChains', () => {
  const make = (run: Tables['run'], logger = silentLogger, clock = new ManualClock()) =>
    new IptablesChains({ dropBit: 3, masqueradeBit: 14, clock, logger, run });

  it('--iptables-drop-bit and --iptables-masquerade-bit are the marks of both families', async () => {
    const { lines, run } = new Tables();
    await make(run).ensure();
    for (const program of ['iptables', 'ip6tables']) {
      expect(lines).toContain(`${program} nat KUBE-MARK-DROP -j MARK --or-mark 0x00000008`);
      expect(lines).toContain(`${program} nat KUBE-MARK-MASQ -j MARK --or-mark 0x00004000`);
    }
    expect(lines.filter((line) => line.startsWith('iptables filter INPUT'))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('ip6tables filter INPUT'))).toHaveLength(0);
  });

  it('--make-iptables-util-chains: makes nothing twice, and what was flushed again after a minute', async () => {
    const { lines, run } = new Tables();
    const clock = new ManualClock();
    const chains = make(run, silentLogger, clock);
    chains.start();
    await clock.advance(0);
    const before = [...lines].sort();
    await clock.advance(60_000);
    expect([...lines].sort()).toEqual(before);
    lines.splice(0);
    await clock.advance(60_000);
    await chains.stop();
    expect([...lines].sort()).toEqual(before);
  });

  it('makes them once a failure is over, as of a lock that another program held', async () => {
    const { lines, run } = new Tables();
    const { all, logger } = warnings();
    const clock = new ManualClock();
    let isLocked = true;
    const locked: Tables['run'] = (program, args) =>
      isLocked ? Promise.reject(new Error('Another app is currently holding the xtables lock')) : run(program, args);
    const chains = make(locked, logger, clock);
    chains.start();
    await clock.advance(0);
    expect([lines.length, all.length]).toEqual([0, 2]);
    isLocked = false;
    await clock.advance(60_000);
    expect(lines).toContain('iptables nat KUBE-MARK-DROP -j MARK --or-mark 0x00000008');
    isLocked = true;
    await clock.advance(60_000);
    expect(all).toHaveLength(4);
    await chains.stop();
  });

  it('warns once where there is no program or no right', async () => {
    const { all, logger } = warnings();
    const chains = make(() => Promise.reject(new Error('spawn iptables ENOENT')), logger);
    await chains.ensure();
    await chains.ensure();
    expect(all).toHaveLength(2);
  });
});

describe('limitOpenFiles', () => {
  it('--max-open-files: sets the limit of this process, and warns where it may not', async () => {
    const { all, logger } = warnings();
    const calls: string[] = [];
    await limitOpenFiles(5_000, logger, async (program, args) => {
      calls.push([program, ...args].join(' '));
      return '';
    });
    expect(calls).toEqual([`prlimit --pid=${process.pid} --nofile=5000:5000`]);
    await limitOpenFiles(5_000, logger, () => Promise.reject(new Error('not permitted')));
    expect(all).toHaveLength(1);
  });
});

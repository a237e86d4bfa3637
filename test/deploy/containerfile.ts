import { readFileSync } from 'node:fs';

export interface Instruction {
  /** In capitals. */
  readonly name: string;
  /** Everything behind the name; continued lines joined. */
  readonly text: string;
}

export interface Stage {
  readonly from: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** A Containerfile as far as ours goes: stages of instructions in shell or exec form; no heredocs, no escapes but line ends. */
export function readContainerfile(file: string): { args: readonly Instruction[]; stages: readonly Stage[] } {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  const args: Instruction[] = [];
  const stages: { from: string; name: string | undefined; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, name = '', text = ''] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? [];
    if (line.trim() === '') continue;
    if (name === '') throw new Error(`${file}: not an instruction: ${line}`);
    const stage = stages.at(-1);
    if (name === 'FROM') {
      const [, from = '', as] = /^(\S+)(?:\s+AS\s+(\S+))?$/.exec(text) ?? [];
      stages.push({ from, name: as, instructions: [] });
    } else (stage?.instructions ?? args).push({ name, text });
  }
  return { args, stages };
}

/** Parses a COPY instruction: its stage, sources and target. */
export function readCopy(text: string): { stage: string | undefined; sources: readonly string[]; target: string } {
  const words = text.split(/\s+/);
  const stage = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
  const target = words.pop() ?? '';
  return { stage, sources: words, target };
}

import { add, type Measured } from './sources.js';

/** A value that is doubled, or two to a power. */
const DOUBLED = /\b2 \*\*? |\* 2\b|\*= 2\b/;
/** Words in the names of waits between attempts. */
const WAIT = /back_?off|pause(?!\()|retry|(?<!a)wait|delay/i;
/** A number of milliseconds that grows up to a limit. */
const GROWING = /Math\.min\([^()]*(?:\b2 \* [\w.#]*(?:Ms|_MS)\b|(?:Ms|_MS) \* 2\b)/;
const COMMENT = /^\s*(?:\/\/|\/?\*).*$|\s\/\/ .*$/;

/** Files that double a wait between attempts by hand, outside of runtime/work: in how many lines. */
export function doublingWaits(texts: ReadonlyMap<string, string>): Measured {
  const found = new Map<string, number>();
  for (const [path, text] of texts)
    if (/^(?:libs|services)\//.test(path) && !path.startsWith('libs/runtime/src/work/'))
      for (const line of text.split('\n')) if (isDoubledWait(line.replace(COMMENT, ''))) add(found, path);
  return found;
}

const isDoubledWait = (line: string): boolean => GROWING.test(line) || (DOUBLED.test(line) && WAIT.test(line));

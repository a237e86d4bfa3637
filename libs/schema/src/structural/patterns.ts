import { RE2JS } from 're2js';
import { readingOf, weightOf } from './pattern-weight.js';

/** Maximum steps of parsing one pattern, each of about 2 µs: it cannot be interrupted. */
export const MOST_PATTERN_STEPS = 20_000;

/** Steps of all cached patterns, of which each takes some 75 bytes. */
const MOST_KEPT = 300_000;
/** Overhead of keeping a pattern, in steps. */
const STEPS_OF_EACH = 130;
/** Characters of a cached pattern's own text that weigh as much as one step. */
const CHARACTERS_OF_STEP = 32;

/** A parsed regular expression. */
export interface Pattern {
  /** Steps of parsing it, and of matching it at one position of a text. */
  readonly weight: number;
  /** Compiled pattern in the syntax of RE2, matched in time linear in the text; or a text: why it is invalid. */
  readonly compiled: RE2JS | string;
}

/** Two generations of the cache, by pattern text: those used since the last eviction, and earlier ones. */
let used = new Map<string, Pattern>();
let before = new Map<string, Pattern>();
let held = 0;

/** Returns a cached pattern, if there is one. */
export function keptPattern(text: string): Pattern | undefined {
  const known = used.get(text);
  if (known) return known;
  const older = before.get(text);
  if (older) keep(text, older);
  return older;
}

/**
 * Returns a pattern. Recently used ones are cached for all callers: as many as fit into about 20 MiB together, as one
 * alone can take several. One with more steps than {@link MOST_PATTERN_STEPS} is not compiled.
 */
export function patternOf(text: string): Pattern {
  const known = keptPattern(text);
  if (known) return known;
  const isTooHeavy = readingOf(text, MOST_PATTERN_STEPS) > MOST_PATTERN_STEPS;
  const made = { weight: weightOf(text, MOST_PATTERN_STEPS), compiled: isTooHeavy ? TOO_HEAVY : compile(text) };
  keep(text, made);
  return made;
}

/** Steps and texts of the cached patterns, in steps. */
export const keptSteps = (): number => [...used, ...before].reduce((sum, [text, each]) => sum + sizeOf(text, each), 0);

const TOO_HEAVY = `takes more than ${MOST_PATTERN_STEPS} steps to match`;

function keep(text: string, pattern: Pattern): void {
  held += sizeOf(text, pattern);
  if (held > MOST_KEPT / 2) {
    before = used;
    used = new Map();
    held = sizeOf(text, pattern);
  }
  used.set(text, pattern);
}

const sizeOf = (text: string, { weight, compiled }: Pattern): number =>
  STEPS_OF_EACH + text.length / CHARACTERS_OF_STEP + (typeof compiled === 'string' ? 0 : weight);

function compile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

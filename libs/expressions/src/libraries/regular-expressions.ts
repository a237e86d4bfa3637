import { MOST_PATTERN_STEPS, patternOf, readingOf } from '@orch/schema';
import { RE2JS, RE2JSException } from 're2js';
import { Failure } from '../values/value.js';

/** A parsed pattern, in the syntax of RE2, which matches in time linear in the text. */
export type CompiledPattern = RE2JS;

/** Parses a pattern; returns a failure if it is invalid, or would take too long in one step. */
export function compilePattern(pattern: string): CompiledPattern | Failure {
  if (readingOf(pattern, MOST_PATTERN_STEPS) > MOST_PATTERN_STEPS)
    return new Failure(`takes more than ${MOST_PATTERN_STEPS} steps to match`);
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) return new Failure(error.message);
    throw error;
  }
}

/**
 * Compiles a constant pattern. Expressions live as long as their definitions, and compiled patterns take many times the
 * memory of their texts: recently used ones are cached, and others compiled again.
 */
export function constantPattern(pattern: string): CompiledPattern | Failure {
  const { compiled } = patternOf(pattern);
  return typeof compiled === 'string' ? new Failure(compiled) : compiled;
}

/** Returns the first match; empty if there is none. */
export function firstMatch(pattern: CompiledPattern, text: string): string {
  const matcher = pattern.matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

/** Returns the first matches, all if `most` is negative; an empty one that touches the one before is skipped. */
export function matchesOf(pattern: CompiledPattern, text: string, most: bigint): string[] {
  const found: string[] = [];
  const matcher = pattern.matcher(text);
  let last = -1;
  while ((most < 0n || found.length < most) && matcher.find()) {
    const match = matcher.group() ?? '';
    if (match !== '' || matcher.start() !== last) found.push(match);
    last = matcher.end();
  }
  return found;
}

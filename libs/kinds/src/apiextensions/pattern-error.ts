/** What RE2 does not know of other forms of regular expressions, and what it says to it. */
const UNKNOWN: readonly (readonly [RegExp, string])[] = [
  [/\(\?(?:[=!]|<[=!])/, 'invalid or unsupported Perl syntax'],
  [/\\[1-9]/, 'invalid escape sequence'],
  [/\\(?:[eghijklmoqruyEGHIJKLMNORTUVXYZC]|c.)/, 'invalid escape sequence'],
];

/** What RE2 knows and others do not, in a form that both know. */
const TRANSLATED: readonly (readonly [RegExp, string])[] = [
  [/\(\?P</g, '(?<'],
  [/\(\?[imsU-]+:/g, '(?:'],
  [/\(\?[imsU-]+\)/g, ''],
  [/\[:\^?[a-z]+:\]/g, 'a'],
  [/\\[pP](?:\{\^?\w+\}|\w)/g, 'a'],
  [/\\[Az]/g, ''],
  [/\\x\{[0-9a-fA-F]+\}/g, 'a'],
];

/** Characters of a class, and what is escaped. One that nothing closes goes to the end, else each `[` in it would be looked for there. */
const CLASS = /\[\^?\]?(?:\[:\^?\w*:\]|\\[\s\S]?|[^\]\\])*(?:\]|$)/g;
const ESCAPE = /\\[\s\S]/g;
const COUNT = /\{(\d+)(?:,(\d*))?\}/g;
const MOST_REPEATED = 1000;
const NESTED = /(?:[*+?]|\{\d+(?:,\d*)?\})\??(?:[*+?]|\{\d+(?:,\d*)?\})/;

/** What is wrong with the repetitions of an expression whose operators are those that stand there. */
function repeatError(bare: string): string | undefined {
  const operators = bare.replaceAll(CLASS, 'a').replaceAll(ESCAPE, 'a');
  for (const [count, low, high = low] of operators.matchAll(COUNT)) {
    const wrong = Math.max(Number(low), Number(high)) > MOST_REPEATED || (high !== '' && Number(high) < Number(low));
    if (wrong) return `error parsing regexp: invalid repeat count: \`${count}\``;
  }
  const nested = NESTED.exec(operators)?.[0];
  if (nested === undefined || /^(?:[*+?]|\{.*\})\?$/.test(nested)) return undefined;
  return `error parsing regexp: invalid nested repetition operator: \`${nested}\``;
}

/** What is said to expressions that others refuse too, by what they say to them. */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/Unterminated character class/, 'missing closing ]'],
  [/Unterminated group/, 'missing closing )'],
  [/Unmatched '\)'/, 'unexpected )'],
  [/Nothing to repeat/, 'missing argument to repetition operator'],
  [/Range out of order/, 'invalid character class range'],
  [/numbers out of order/, 'invalid repeat count'],
  [/Invalid group/, 'invalid or unsupported Perl syntax'],
  [/capture group name/, 'invalid named capture'],
  [/\\ at end of pattern/, 'trailing backslash at end of expression'],
];

/**
 * What is wrong with a regular expression of the kind that the reference system has (RE2); undefined when nothing is found.
 * The expression is read, never run.
 */
export function patternError(pattern: string): string | undefined {
  if (pattern === '') return undefined;
  const bare = pattern.replaceAll(/\\Q.*?(?:\\E|$)/gs, 'a').replaceAll('\\\\', 'a');
  for (const [form, text] of UNKNOWN) {
    const found = form.exec(bare)?.[0];
    if (found !== undefined) return `error parsing regexp: ${text}: \`${found}\``;
  }
  const repeated = repeatError(bare);
  if (repeated !== undefined) return repeated;
  const known = TRANSLATED.reduce((text, [form, other]) => text.replaceAll(form, other), bare);
  try {
    new RegExp(known);
    return undefined;
  } catch (error) {
    const said = error instanceof Error ? error.message : '';
    const text = REFUSED.find(([form]) => form.test(said))?.[1];
    // What is only too much here is not wrong.
    if (text === undefined) return undefined;
    return `error parsing regexp: ${text}: \`${text === 'missing closing ]' ? pattern.slice(pattern.lastIndexOf('[')) : pattern}\``;
  }
}

/** Estimates of the time to parse patterns, which may be long for few characters. */

const REPEAT = /\{(\d{1,4})(?:,(\d{0,4}))?\}/y;
/**
 * A unit that matches one character, or none: an escape, a class, a sign. An unclosed one extends to the end, else its
 * end would be searched again from each sign in it.
 */
const UNIT = /\\[pPx]\{[^}]*(?:\}|$)|\\[\s\S]|\[\^?\]?(?:\[:\^?\w*:\]|\\[\s\S]?|[^\]\\])*(?:\]|$)|[\s\S]/y;

/** Unicode classes, which consist of hundreds of ranges, and ranges beyond ASCII. */
const WIDE = /\\[pPx]|\[\^|[\u0080-\uffff]/g;
const WIDE_STEPS = 50;
/** Each is joined with those before it in the same class. */
const JOIN_STEPS = 20;
/** Patterns that ignore case, for which each character of a range is looked up. */
const FOLDS = /\(\?[a-zA-Z]*i/;
const FOLD_FACTOR = 20;
/**
 * Costs of parsing beside the steps of the result: for each optional copy, as these are nested; and when case is
 * ignored for each range of a class, and for each escape in it that is one or may begin or end one.
 */
const OPTIONAL_STEPS = 3;
const FOLDED_RANGE = 5;
const FOLDED_ESCAPE = 13;
const RANGE_ESCAPES = /\\[WDS0-7]/g;
/** Characters of a class that cost as much as one sign. */
const CLASS_SHARE = 8;
/** Characters of any pattern that cost as much as one sign. */
const TEXT_SHARE = 2;

/** Steps of parsing a character, and another sign: groups and empty parts take three times as long. */
const STEPS_OF_CHARACTER = 2;
const STEPS_OF_SIGN = 6;
const CHARACTER = /^(?:[^\\.^$|()[\]*+?{}]|\\[^a-zA-Z])$/;

/**
 * Estimates the steps of parsing a regular expression: its own steps, or those of its text if they are more.
 * @param most stops counting beyond this
 */
export function readingOf(pattern: string, most: number): number {
  const weight = countOf(pattern, most, true);
  let steps = 0;
  if (weight > most) return weight;
  for (let at = 0; at < pattern.length && steps <= most; ) {
    UNIT.lastIndex = at;
    const unit = UNIT.exec(pattern)?.[0] ?? '';
    at += unit.length || 1;
    steps += CHARACTER.test(unit) ? STEPS_OF_CHARACTER : STEPS_OF_SIGN;
  }
  return Math.max(steps, weight);
}

const timesOf = (text: string, sign: RegExp): number => text.match(sign)?.length ?? 0;

const foldingOf = (unit: string): number =>
  unit.startsWith('[') ? FOLDED_RANGE * timesOf(unit, /-/g) + FOLDED_ESCAPE * timesOf(unit, RANGE_ESCAPES) : 0;

function weightOfUnit(unit: string, folds: boolean): number {
  const wide = unit.length > 1 ? timesOf(unit, WIDE) : 0;
  const steps = wide === 0 ? 0 : (WIDE_STEPS + JOIN_STEPS * wide * wide) * (folds ? FOLD_FACTOR : 1);
  return Math.ceil(unit.length / CLASS_SHARE) + steps;
}

/**
 * Estimates the steps of a regular expression once its counted repetitions are expanded.
 * @param most stops counting beyond this
 */
export const weightOf = (pattern: string, most = Number.POSITIVE_INFINITY): number => countOf(pattern, most, false);

/** @param isRead whether further costs of parsing are included */
function countOf(pattern: string, most: number, isRead: boolean): number {
  const least = Math.ceil(pattern.length / TEXT_SHARE);
  if (least > most) return least;
  const folds = FOLDS.test(pattern);
  /** Contents so far of each open group. */
  const open = [0];
  /** Weight of the unit that a repetition would apply to. */
  let last = 0;
  /** Weight counted so far. */
  let counted = 0;
  const add = (weight: number) => open.push((open.pop() ?? 0) + weight);
  for (let at = 0; at < pattern.length && counted <= most; ) {
    REPEAT.lastIndex = at;
    const repeat = REPEAT.exec(pattern);
    if (repeat) {
      const [fewest, greatest] = [Number(repeat[1]), Number(repeat[2] ?? 0)];
      const optional = isRead ? OPTIONAL_STEPS * Math.max(0, greatest - fewest) : 0;
      const more = last * (Math.max(fewest, greatest, 1) - 1) + optional;
      add(more);
      counted += more;
      last += more;
      at += repeat[0].length;
      continue;
    }
    UNIT.lastIndex = at;
    const unit = UNIT.exec(pattern)?.[0] ?? '';
    at += unit.length || 1;
    if (unit === '(') {
      // It may never be closed.
      open.push(1);
      counted++;
    } else if (unit === ')' && open.length > 1) {
      last = (open.pop() ?? 0) + 1;
      counted++;
      add(last);
    } else {
      const weight = weightOfUnit(unit, folds) + (isRead && folds ? foldingOf(unit) : 0);
      add(weight);
      counted += weight;
      last = 1;
    }
  }
  return Math.max(
    least,
    open.reduce((sum, weight) => sum + weight, 1),
  );
}

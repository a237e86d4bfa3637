/** Number of cached times: objects that are written again and again keep the same ones, except for the writer's. */
const KEPT = 1_000;
const texts = new Map<number, string>();
const numbers = new Map<string, number>();

/** @param seconds since 1970 */
export function timeText(seconds: number): string {
  return texts.get(seconds) ?? keep(seconds, `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`);
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Returns seconds since 1970; undefined for those that {@link timeText} would not restore, or beyond 32 bits. */
export function secondsOf(text: string): number | undefined {
  const known = numbers.get(text);
  if (known !== undefined) return known;
  const seconds = TIME.test(text) ? Date.parse(text) / 1000 : Number.NaN;
  return seconds >= 0 && seconds < 2 ** 32 && timeText(seconds) === text ? seconds : undefined;
}

function keep(seconds: number, text: string): string {
  if (texts.size >= KEPT) {
    texts.clear();
    numbers.clear();
  }
  texts.set(seconds, text);
  numbers.set(text, seconds);
  return text;
}

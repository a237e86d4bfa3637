import { VerbatimValue, verbatim } from './field-error.js';

/** Values within a value of which a message shows no more. */
const SHOWN_VALUES = 1_000;

/** A value that came as JSON and has no type of its own, as the reference system prints it: in the syntax of its language. */
export const shownUntyped = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? new VerbatimValue(untyped(value, { left: SHOWN_VALUES })) : value;

function untyped(value: unknown, room: { left: number }): string {
  if (--room.left < 0) return '...';
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (Array.isArray(value)) return `[]interface {}{${shownItems(value, (item) => untyped(item, room), room)}}`;
  if (typeof value !== 'object') return verbatim(value).text;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const shown = ([name, member]: [string, unknown]) => `${JSON.stringify(name)}:${untyped(member, room)}`;
  return `map[string]interface {}{${shownItems(members, shown, room)}}`;
}

function shownItems<T>(items: readonly T[], shown: (item: T) => string, room: { left: number }): string {
  const texts: string[] = [];
  for (const item of items) {
    if (room.left <= 0) break;
    texts.push(shown(item));
  }
  return texts.join(', ');
}

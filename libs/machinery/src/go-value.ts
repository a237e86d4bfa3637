import { shortened, VerbatimValue, verbatim } from './field-error.js';

/** Characters of a value of which a message shows no more, with some to spare. */
const SHOWN_CHARACTERS = 8_192;

/** A value that came as JSON and has no type of its own, as the reference system prints it: in the syntax of its language. */
export const shownUntyped = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? new VerbatimValue(untyped(value, { left: SHOWN_CHARACTERS })) : value;

function untyped(value: unknown, room: { left: number }): string {
  room.left--;
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (Array.isArray(value)) return `[]interface {}{${shownItems(value, (item) => untyped(item, room), room)}}`;
  if (typeof value !== 'object') return counted(verbatim(value).text, room);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const shown = ([name, member]: [string, unknown]) =>
    `${counted(JSON.stringify(shortened(name)), room)}:${untyped(member, room)}`;
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

function counted(text: string, room: { left: number }): string {
  room.left -= text.length;
  return text;
}

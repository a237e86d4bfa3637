import { JsonPathError } from './node.js';

const PLAIN: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};
const ESCAPE = /^\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.)|)/s;
const LAST_CODE = 0x10ffff;

/** The text that stands in quotes, with the escapes of Go's string literals. @throws JsonPathError for others */
export function unquote(text: string): string {
  const quote = text[0] as string;
  const inside = text.slice(1, -1);
  let made = '';
  for (let at = 0; at < inside.length; ) {
    const next = inside.indexOf('\\', at);
    if (next < 0) return made + inside.slice(at);
    const [written, value] = unescaped(inside.slice(next, next + 10), quote);
    made += inside.slice(at, next) + value;
    at = next + written.length;
  }
  return made;
}

function unescaped(text: string, quote: string): [written: string, value: string] {
  const [written = '', byte, short, long, octal, letter] = ESCAPE.exec(text) ?? [];
  const digits = byte ?? short ?? long;
  const code = digits === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(digits, 16);
  const largest = octal === undefined ? LAST_CODE : 0xff;
  if (code <= largest && !isSurrogate(code)) return [written, String.fromCodePoint(code)];
  const plain = letter === quote ? quote : PLAIN[letter ?? ''];
  if (plain === undefined) throw new JsonPathError(`unquote string: ${JSON.stringify(text)} is no escape`);
  return [written, plain];
}

const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;

/** A media type with its parameters (RFC 9110, section 8.3.1), names in lower case. */
export interface MediaType {
  /** `application/json`. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const TYPE = new RegExp(`^\\s*(${TOKEN})/(${TOKEN})\\s*$`);
const PARAMETER = new RegExp(`^\\s*(${TOKEN})\\s*=\\s*(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")\\s*$`);

/** Splits at separators outside of quoted strings. */
export function splitHeader(text: string, separator: ',' | ';'): string[] {
  if (!text.includes('"')) return text.split(separator);
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (quoted && character === '\\') i++;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && character === separator) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

/** Undefined for an invalid media type. */
export function parseMediaType(text: string): MediaType | undefined {
  const [head = '', ...rest] = splitHeader(text, ';');
  const match = TYPE.exec(head);
  if (!match) return undefined;
  const parameters = new Map<string, string>();
  for (const part of rest) {
    if (part.trim() === '') continue;
    const parameter = PARAMETER.exec(part);
    if (!parameter) return undefined;
    const value = parameter[2] ?? (parameter[3] ?? '').replace(/\\(.)/g, '$1');
    parameters.set((parameter[1] ?? '').toLowerCase(), value);
  }
  return { type: `${match[1]}/${match[2]}`.toLowerCase(), parameters };
}

/**
 * Returns the media type of a `Content-Type`, without parameters and in lower case; undefined for an invalid one, which
 * calls for a 415.
 */
export function parseContentType(header: string): string | undefined {
  return parseMediaType(header)?.type;
}

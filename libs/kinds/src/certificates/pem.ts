/** A block of PEM: the bytes between its BEGIN and its END. */
export interface PemBlock {
  /** Type in the BEGIN line, such as `CERTIFICATE`. */
  readonly type: string;
  /** Whether lines of the form `Name: value` stand before the content. */
  readonly hasHeaders: boolean;
  /** Decoded content. */
  readonly bytes: Buffer;
}

const BEGIN = '-----BEGIN ';
const END = '-----END ';
const DASHES = '-----';
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Yields the blocks of a text, in order; other text and malformed blocks are skipped. */
export function* pemBlocks(text: string): Iterable<PemBlock> {
  let at = 0;
  for (;;) {
    const begin = nextLine(text, BEGIN, at);
    const end = begin < 0 ? -1 : text.indexOf(`\n${END}`, begin);
    if (end < 0) return;
    const endOfLine = text.indexOf('\n', end + 1);
    at = endOfLine < 0 ? text.length : endOfLine;
    const block = readBlock(text.slice(begin + BEGIN.length, end), text.slice(end + 1 + END.length, at).trimEnd());
    if (block) yield block;
  }
}

/** Finds the start of the next line that begins so, from a place on. */
function nextLine(text: string, start: string, from: number): number {
  if (from === 0 && text.startsWith(start)) return 0;
  const found = text.indexOf(`\n${start}`, from);
  return found < 0 ? -1 : found + 1;
}

function readBlock(content: string, ending: string): PemBlock | undefined {
  const [first = '', ...lines] = content.split('\n').map((line) => line.trim());
  const type = first.endsWith(DASHES) ? first.slice(0, -DASHES.length) : undefined;
  if (type === undefined || ending !== `${type}${DASHES}`) return undefined;
  const headers = lines.filter((line) => line.includes(':')).length;
  const body = lines.slice(headers).join('');
  if (!BASE64.test(body) || body.length % 4 !== 0) return undefined;
  return { type, hasHeaders: headers > 0, bytes: Buffer.from(body, 'base64') };
}

const LONGEST = 128;

/** Characters that are not printable: all but letters, marks, digits, punctuation, symbols and the blank. */
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/**
 * Name of the manager of a request that gives none: the printable characters of its user agent up to the first slash,
 * at most 128 bytes of whole characters.
 */
export function managerOf(userAgent: string): string {
  const name = userAgent.split('/', 1)[0] ?? '';
  let [text, bytes] = ['', 0];
  for (const char of name.replace(UNPRINTABLE, '')) {
    bytes += Buffer.byteLength(char);
    if (bytes > LONGEST) break;
    text += char;
  }
  return text;
}

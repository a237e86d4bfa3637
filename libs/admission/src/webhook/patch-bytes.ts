/** Thrown for an answer that is no review at all, so that nobody knows what it is an answer to. */
export class UnreadableAnswer extends Error {
  override readonly name = 'UnreadableAnswer';
}

/**
 * The bytes of a patch in base64, as encoding/json of Go reads them: in the standard alphabet and padded, with line breaks anywhere.
 * @throws UnreadableAnswer in the words of Go; Node would leave out what it does not know, and make another patch of the rest
 */
export function patchBytes(text: string): Buffer {
  const plain = text.replaceAll(/[\r\n]/g, '');
  const wrong = firstWrong(plain);
  if (wrong !== undefined) throw new UnreadableAnswer(`illegal base64 data at input byte ${wrong}`);
  return Buffer.from(plain, 'base64');
}

/** Where base64 ends to be such; undefined where it does not. */
function firstWrong(text: string): number | undefined {
  const data = /^[A-Za-z0-9+/]*/.exec(text)?.[0].length ?? 0;
  const over = data % 4;
  const padding = text.slice(data);
  if (padding === '') return over === 0 ? undefined : data - over;
  if (!padding.startsWith('=') || over < 2) return data;
  const wanted = '='.repeat(4 - over);
  if (padding === wanted) return undefined;
  if (padding.startsWith(wanted)) return data + wanted.length;
  return padding === '=' ? data + 1 : data;
}

/** Thrown for an answer that is no valid review at all, so that it cannot be related to a request. */
export class UnreadableAnswer extends Error {
  override readonly name = 'UnreadableAnswer';
}

/**
 * Returns the bytes of a patch in base64, as encoding/json of Go reads it: in the standard alphabet and padded, with
 * line breaks anywhere.
 * @throws UnreadableAnswer in the words of Go; Node would skip invalid characters, and read another patch from the rest
 */
export function patchBytes(text: string): Buffer {
  const plain = text.replaceAll(/[\r\n]/g, '');
  const wrong = firstWrong(plain);
  if (wrong !== undefined) throw new UnreadableAnswer(`illegal base64 data at input byte ${wrong}`);
  return Buffer.from(plain, 'base64');
}

/** Returns the offset of the first byte that is no valid base64; undefined for valid text. */
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

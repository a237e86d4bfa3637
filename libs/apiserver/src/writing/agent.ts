/** As many bytes of a name as an entry of managedFields holds. */
const MAX_BYTES = 128;

/** What a client calls itself: its user agent up to the first slash, without what cannot be printed. */
export function agentOf(userAgent = ''): string {
  const [own = ''] = userAgent.split('/', 1);
  let name = '';
  let bytes = 0;
  // Headers come as bytes, one a character.
  for (const character of Buffer.from(own, 'latin1').toString()) {
    if (/\p{C}|[^\P{Z} ]/u.test(character)) continue;
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_BYTES) break;
    name += character;
  }
  return name;
}

/**
 * Whether lists and objects of a JSON text stand deeper within each other than `limit`: what parses in a loop may be too deep
 * for those who walk through it. Counts brackets outside of strings; the text need not be valid.
 */
export function nestsDeeperThan(text: string, limit: number): boolean {
  let [depth, quoted] = [0, false];
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (quoted && char === '\\') i++;
    else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === '[' || char === '{')) {
      if (++depth > limit) return true;
    } else if (!quoted && (char === ']' || char === '}')) depth--;
  }
  return false;
}

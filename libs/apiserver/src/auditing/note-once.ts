/**
 * Notes something for the audit log. The first that is noted under a key stays, as in the reference: webhooks and policies choose
 * their names, and the server's own notes stand before theirs.
 */
export function noteOnce(annotations: Map<string, string>, key: string, value: string): void {
  if (!annotations.has(key)) annotations.set(key, value);
}

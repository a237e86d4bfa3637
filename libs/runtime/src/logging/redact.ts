const SECRET_KEY =
  /(?:authorization|token|password|passwd|secret|cookie|apikey|privatekey|keydata|credentials?|bearer)$/;
const REDACTED = '[redacted]';

/** Cached results by field name. Names of fields are few; those in external objects may not be, hence the bound. */
const verdicts = new Map<string, boolean>();
const MAX_VERDICTS = 1000;

/** Whether a field's name marks its value as secret (`Authorization`, `bearer_token`, `clientKeyData`). */
export function isSecretKey(key: string): boolean {
  const known = verdicts.get(key);
  if (known !== undefined) return known;
  const verdict = SECRET_KEY.test(key.replace(/[-_.]/g, '').toLowerCase());
  if (verdicts.size < MAX_VERDICTS) verdicts.set(key, verdict);
  return verdict;
}

const BEARER = /\b(Bearer|Basic)\s+[^\s"',;]+/gi;
const URL_PASSWORD = /(:\/\/[^\s/:@]*):[^\s/@]+@/g;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;

/** Nearly no text contains any of these: one scan that finds nothing is cheaper than three replacements. */
const SUSPECT = /[Bb][Ee][Aa][Rr][Ee][Rr]\s|[Bb][Aa][Ss][Ii][Cc]\s|:\/\/|PRIVATE KEY/;
const SHORTEST = 6;

/** Redacts credentials of known forms in a text: authorization values, passwords in URLs, PEM private keys. */
export function redactText(text: string): string {
  if (text.length < SHORTEST || !SUSPECT.test(text)) return text;
  return text.replace(BEARER, `$1 ${REDACTED}`).replace(URL_PASSWORD, `$1:${REDACTED}@`).replace(PRIVATE_KEY, REDACTED);
}

/** Prepares a field's value for JSON: secrets redacted, errors as their messages, bytes as their count. Any depth. */
export function redactValue(key: string, value: unknown): unknown {
  if (value === undefined || value === null || typeof value === 'boolean' || typeof value === 'number') return value;
  if (isSecretKey(key)) return REDACTED;
  if (typeof value === 'string') return redactText(value);
  if (value instanceof Error) return redactText(describeError(value));
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  if (typeof value === 'object') return value;
  return String(value);
}

/** Returns the message of an error and of its causes. */
export function describeError(error: Error): string {
  const own = error.message || error.name;
  return error.cause instanceof Error ? `${own}: ${describeError(error.cause)}` : own;
}

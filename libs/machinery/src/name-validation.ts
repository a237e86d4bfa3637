/**
 * Forms of names and of metadata keys, with the messages that clients know. Every function returns the errors, one text
 * each; an empty list means valid.
 */

const ALPHANUMERIC = '[A-Za-z0-9]';
const QUALIFIED_NAME = `(${ALPHANUMERIC}[-A-Za-z0-9_.]*)?${ALPHANUMERIC}`;
const LABEL_VALUE = `(${QUALIFIED_NAME})?`;
const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_SUBDOMAIN = `${DNS_LABEL}(\\.${DNS_LABEL})*`;
const DNS1035_LABEL = '[a-z]([-a-z0-9]*[a-z0-9])?';

const whole = (pattern: string) => new RegExp(`^${pattern}$`);
const QUALIFIED_NAME_RE = whole(QUALIFIED_NAME);
const LABEL_VALUE_RE = whole(LABEL_VALUE);
const DNS_LABEL_RE = whole(DNS_LABEL);
const DNS_SUBDOMAIN_RE = whole(DNS_SUBDOMAIN);
const DNS1035_LABEL_RE = whole(DNS1035_LABEL);

const LABEL_MAX = 63;
const SUBDOMAIN_MAX = 253;

/** Whether a text has a form; not tested for a far too long one, which is reported anyway. */
const has = (form: RegExp, text: string): boolean => text.length > TESTED_MAX || form.test(text);
const TESTED_MAX = 4_096;

const tooLongText = (max: number) => `must be no more than ${max} characters`;

/** Formats a message about the required form, with examples. Call it once, not for each invalid text. */
export function formText(text: string, pattern: string, ...examples: string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${text} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

const DNS_LABEL_FORM = formText(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  DNS_LABEL,
  'my-name',
  '123-abc',
);
const DNS_SUBDOMAIN_FORM = formText(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  DNS_SUBDOMAIN,
  'example.com',
);
const QUALIFIED_NAME_FORM = formText(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  QUALIFIED_NAME,
  'MyName',
  'my.name',
  '123-abc',
);
const LABEL_VALUE_FORM = formText(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_VALUE,
  'MyValue',
  'my_value',
  '12345',
);

/** RFC 1123 label: at most 63 lower-case letters, digits and `-`. */
export function dnsLabelErrors(value: string): string[] {
  const errors = value.length > LABEL_MAX ? [tooLongText(LABEL_MAX)] : [];
  if (has(DNS_LABEL_RE, value)) return errors;
  if (has(DNS_SUBDOMAIN_RE, value)) return [...errors, 'must not contain dots'];
  return [...errors, DNS_LABEL_FORM];
}

/** RFC 1123 subdomain: labels joined by dots, at most 253 characters in all. */
export function dnsSubdomainErrors(value: string): string[] {
  const errors = value.length > SUBDOMAIN_MAX ? [tooLongText(SUBDOMAIN_MAX)] : [];
  if (has(DNS_SUBDOMAIN_RE, value)) return errors;
  return [...errors, DNS_SUBDOMAIN_FORM];
}

/** RFC 1035 label: as a DNS label, but beginning with a letter. */
export function dns1035LabelErrors(value: string): string[] {
  const errors = value.length > LABEL_MAX ? [tooLongText(LABEL_MAX)] : [];
  if (has(DNS1035_LABEL_RE, value)) return errors;
  const text =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...errors, formText(text, DNS1035_LABEL, 'my-name', 'abc-123')];
}

/** Maximum bytes of a name, which requests can contain and a database index can hold. */
const NAME_MAX_BYTES = 1024;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Errors of a text that cannot be the key of an object. The reference accepts such names; here they cannot be stored.
 */
function keyErrors(value: string): string[] {
  // A character is three bytes at most.
  const isTooLong = value.length * 3 > NAME_MAX_BYTES && Buffer.byteLength(value) > NAME_MAX_BYTES;
  return [
    ...(value.includes('\0') ? ['may not contain a NUL character'] : []),
    ...(LONE_SURROGATE.test(value) ? ['must be valid Unicode'] : []),
    ...(isTooLong ? [`must be no more than ${NAME_MAX_BYTES} bytes`] : []),
  ];
}

/** Errors of a name that must fit into a URL path as one segment, up to 1,024 bytes of valid Unicode without NUL. */
export function pathSegmentErrors(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return [
    ...['/', '%'].filter((character) => value.includes(character)).map((character) => `may not contain '${character}'`),
    ...keyErrors(value),
  ];
}

const WILDCARD_SUBDOMAIN = `\\*\\.${DNS_SUBDOMAIN}`;
const WILDCARD_SUBDOMAIN_RE = whole(WILDCARD_SUBDOMAIN);

/** Errors of a wildcard subdomain: `*.example.com`. */
export function wildcardSubdomainErrors(value: string): string[] {
  const errors = value.length > SUBDOMAIN_MAX ? [tooLongText(SUBDOMAIN_MAX)] : [];
  if (has(WILDCARD_SUBDOMAIN_RE, value)) return errors;
  const text =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
  return [...errors, formText(text, WILDCARD_SUBDOMAIN, '*.example.com')];
}

const FILE_KEY = '[-._a-zA-Z0-9]+';
const VARIABLE_NAME = '[-._a-zA-Z][-._a-zA-Z0-9]*';
const FILE_KEY_FORM = formText(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  FILE_KEY,
  'key.name',
  'KEY_NAME',
  'key-name',
);
const VARIABLE_NAME_FORM = formText(
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
  VARIABLE_NAME,
  'my.env-name',
  'MY_ENV.NAME',
  'MyEnvName1',
);
const FILE_KEY_RE = whole(FILE_KEY);
const VARIABLE_NAME_RE = whole(VARIABLE_NAME);

/** Errors of names that refer to another folder. */
function folderErrors(value: string): string[] {
  if (value === '.' || value === '..') return [`must not be '${value}'`];
  return value.startsWith('..') ? ["must not start with '..'"] : [];
}

/** Whether {@link contentKeyErrors} is empty; for callers with thousands of keys. */
export const isContentKey = (value: string): boolean =>
  value.length <= SUBDOMAIN_MAX && FILE_KEY_RE.test(value) && value !== '.' && !value.startsWith('..');

/**
 * Errors of a key of ConfigMaps and Secrets, which becomes a file name: at most 253 letters, digits, `-`, `_` and `.`.
 */
export function contentKeyErrors(value: string): string[] {
  return [
    ...(value.length > SUBDOMAIN_MAX ? [tooLongText(SUBDOMAIN_MAX)] : []),
    ...(has(FILE_KEY_RE, value) ? [] : [FILE_KEY_FORM]),
    ...folderErrors(value),
  ];
}

/** Errors of an environment variable's name. */
export function variableNameErrors(value: string): string[] {
  const folder = folderErrors(value);
  return VARIABLE_NAME_RE.test(value) ? folder : [VARIABLE_NAME_FORM, ...folder];
}

const isPlainName = (value: string): boolean => value.length <= LABEL_MAX && QUALIFIED_NAME_RE.test(value);
const isPrefixedName = (value: string, slash: number): boolean =>
  slash <= SUBDOMAIN_MAX && isPlainName(value.slice(slash + 1)) && DNS_SUBDOMAIN_RE.test(value.slice(0, slash));

/**
 * Errors of a key of labels and annotations, a finalizer, …: a name of at most 63 characters with an optional
 * `subdomain/` before it.
 */
export function qualifiedNameErrors(value: string): string[] {
  // The usual form of keys that come by the thousand.
  const slash = value.indexOf('/');
  if (slash > 0 ? isPrefixedName(value, slash) : isPlainName(value)) return [];
  const parts = value.split('/');
  if (parts.length > 2) {
    return [
      `a qualified name ${QUALIFIED_NAME_FORM} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const errors: string[] = [];
  const name = parts.at(-1) ?? '';
  const [prefix] = parts;
  if (parts.length === 2 && prefix !== undefined) {
    if (prefix === '') errors.push('prefix part must be non-empty');
    else errors.push(...dnsSubdomainErrors(prefix).map((error) => `prefix part ${error}`));
  }
  if (name === '') errors.push('name part must be non-empty');
  else if (name.length > LABEL_MAX) errors.push(`name part ${tooLongText(LABEL_MAX)}`);
  if (!has(QUALIFIED_NAME_RE, name)) {
    errors.push(`name part ${QUALIFIED_NAME_FORM}`);
  }
  return errors;
}

/** Errors of a label's value: empty, or at most 63 letters, digits, `-`, `_` and `.`. */
export function labelValueErrors(value: string): string[] {
  const errors = value.length > LABEL_MAX ? [tooLongText(LABEL_MAX)] : [];
  if (has(LABEL_VALUE_RE, value)) return errors;
  return [...errors, LABEL_VALUE_FORM];
}

/** Required form of the name of a kind's objects. */
export type NameRule = 'subdomain' | 'label' | 'dns1035' | 'pathSegment';

const RULES: Readonly<Record<NameRule, (value: string) => string[]>> = {
  subdomain: dnsSubdomainErrors,
  label: dnsLabelErrors,
  dns1035: dns1035LabelErrors,
  pathSegment: pathSegmentErrors,
};

/** Returns the errors of an object's name. */
export const nameErrors = (rule: NameRule, name: string): string[] => RULES[rule](name);

/** Returns the errors of a name prefix: it may end in a dash, since more follows. */
export function namePrefixErrors(rule: NameRule, prefix: string): string[] {
  const masked = prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -1)}a` : prefix;
  return RULES[rule](masked);
}

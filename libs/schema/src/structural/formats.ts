import { addressFamily, parseDuration, parseUrl, prefixLength } from '@orch/machinery';

/** Maximum length of a host name. */
const HOSTNAME_BYTES = 255;
const LABEL_BYTES = 63;

const COLOR = '\\s*(?:0|[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])\\s*';

const form =
  (expression: RegExp) =>
  (text: string): boolean =>
    expression.test(text);
const uuid = (version: string, variant = '[0-9a-f]') =>
  form(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, 'i'));

/**
 * Formats of texts that schemas name, and their checks; any text is of another format. They match the reference
 * system's, even where that is odd.
 */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: form(/^[0-9a-f]{24}$/i),
  byte: form(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  cidr: (text) => prefixLength(text.replace(/\/0+(?=\d)/, '/')) !== undefined,
  creditcard: isCreditCard,
  date: isDate,
  datetime: isDateTime,
  duration: isDuration,
  email: isEmail,
  hexcolor: form(/^#?([0-9a-f]{3}|[0-9a-f]{6})$/i),
  hostname: isHostname,
  ipv4: (text) => addressFamily(text) !== 0 && text.includes('.'),
  // Octets with leading zeros are accepted from older clients, and in IPv4 alone.
  ipv6: (text) => addressFamily(text) === 6 && !/[:.]0\d+(\.|$)/.test(text),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  mac: isHardwareAddress,
  password: () => true,
  rgbcolor: form(new RegExp(`^rgb\\(${COLOR},${COLOR},${COLOR}\\)$`)),
  ssn: form(/^\d{3}[- ]\d{2}[- ]\d{4}$/),
  uri: isRequestUri,
  uuid: uuid('[0-9a-f]'),
  uuid3: uuid('3'),
  uuid4: uuid('4', '[89ab]'),
  uuid5: uuid('5', '[89ab]'),
};

/** Formats may be written with hyphens anywhere: `date-time`. */
const plain = (format: string): string => format.replaceAll('-', '');

/** Whether a format has an effect. */
export const isKnownFormat = (format: string): boolean => format !== '' && Object.hasOwn(FORMATS, plain(format));

/** Whether a text is of a format; any is of an unknown one. */
export const isOfFormat = (format: string, text: string): boolean =>
  !isKnownFormat(format) || (FORMATS[plain(format)]?.(text) ?? true);

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  const [, year = 0, month = 0, day = 0] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = (DAYS[month - 1] ?? 0) + (month === 2 && leap ? 1 : 0);
  return day >= 1 && day <= days;
}

function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  const [, hour, minute, second] = /^(\d\d):(\d\d):(\d\d)(?:.\d+)?(?:z|[+-]\d\d:\d\d)$/.exec(time) ?? [];
  return isDate(date) && hour !== undefined && hour <= '23' && `${minute}` <= '59' && `${second}` <= '59';
}

const UNITS = /^(?:ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i;
/** Anchored at the first digit: otherwise a text of digits would take quadratic time. */
const AMOUNT = /(?<!\d)(\d+)\s*([A-Za-zµ]+)/g;
const MOST = 2n ** 63n - 1n;

/** Whether a text is a duration that Go parses, or has an amount with a unit in it, and none that is too large. */
function isDuration(text: string): boolean {
  try {
    parseDuration(text);
    return true;
  } catch {
    let found = false;
    for (const [, amount = '', unit = ''] of text.matchAll(AMOUNT)) {
      if (amount.length >= 20 || BigInt(amount) > MOST) return false;
      found ||= UNITS.test(unit);
    }
    return found;
  }
}

const ATOM = "\\w!#$%&'*+/=?^`{|}~\\u0080-\\uffff-";
const DOT_ATOM = `[${ATOM}]+(?:\\.[${ATOM}]+)*`;
const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
const ADDRESS = `(?:${DOT_ATOM}|${QUOTED})@(?:${DOT_ATOM}|\\[[\\d.]+\\])`;
/** An address, or one in angle brackets behind a name. */
const MAILBOX = new RegExp(`^(?:${ADDRESS}|(?:[${ATOM} .]|${QUOTED})*<${ADDRESS}>)$`);

function isEmail(text: string): boolean {
  return MAILBOX.test(text.trim());
}

const LETTER = 'a-zA-Z\\p{L}';
const SIGN = `${LETTER}0-9\\p{S}`;
const HOSTNAME = new RegExp(
  `^(?:[${SIGN}]-?[${SIGN}]{0,62}|(?:[${SIGN}](?:[${SIGN}-]{0,61}[${SIGN}])?\\.)+[${LETTER}]{2,63})$`,
  'u',
);

function isHostname(text: string): boolean {
  if (text.length > HOSTNAME_BYTES || Buffer.byteLength(text) > HOSTNAME_BYTES || !HOSTNAME.test(text)) return false;
  return text.split('.').every((label) => Buffer.byteLength(label) <= LABEL_BYTES);
}

/** Six, eight or twenty bytes, in pairs of digits or in fours. */
function isHardwareAddress(text: string): boolean {
  const pairs = /^[0-9a-f]{2}(?:(:[0-9a-f]{2})+|(-[0-9a-f]{2})+)$/i.test(text);
  const fours = /^[0-9a-f]{4}(?:\.[0-9a-f]{4})+$/i.test(text);
  const bytes = text.replace(/[^0-9a-f]/gi, '').length / 2;
  return (pairs || fours) && [6, 8, 20].includes(bytes);
}

/** An absolute address, or an absolute path. */
function isRequestUri(text: string): boolean {
  if (text === '*') return true;
  const path = text.startsWith('/');
  if (!path && !/^[a-z][a-z0-9+.-]*:/i.test(text)) return false;
  // It has no fragment: `#` is an ordinary character. A path is no host, however many slashes it begins with.
  const whole = text.replaceAll('#', '_');
  return typeof parseUrl(path ? `/${whole.replace(/^\/+/, '')}` : whole) !== 'string';
}

const bare = (text: string): string => text.replaceAll(/[\s-]+/g, '');
const digitsOf = (text: string): number[] => [...text].map((digit) => (digit === 'X' ? 10 : Number(digit)));

function isIsbn10(text: string): boolean {
  const code = bare(text);
  return /^\d{9}[\dX]$/.test(code) && digitsOf(code).reduce((sum, digit, at) => sum + digit * (at + 1), 0) % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const code = bare(text);
  return (
    /^\d{13}$/.test(code) && digitsOf(code).reduce((sum, digit, at) => sum + digit * (at % 2 ? 3 : 1), 0) % 10 === 0
  );
}

const CARD =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|(222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11}|6[27]\d{14})$/;

/** A number of one of the known issuers, with its check digit. */
function isCreditCard(text: string): boolean {
  const code = bare(text);
  if (!CARD.test(code)) return false;
  const doubled = (digit: number) => (digit > 4 ? digit * 2 - 9 : digit * 2);
  const sum = digitsOf(code)
    .reverse()
    .reduce((total, digit, at) => total + (at % 2 ? doubled(digit) : digit), 0);
  return sum % 10 === 0;
}

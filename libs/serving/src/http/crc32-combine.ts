/** Polynomial of CRC-32 (RFC 1952 section 8), with its highest coefficient in the lowest bit. */
const POLYNOMIAL = 0xedb88320;
/** Polynomial 1 in that bit order. */
const ONE = 0x80000000;

/** `x` to the power of 8, 16, 32, …: the factors of a remainder when 1, 2, 4, … bytes are appended. */
const BYTE_POWERS: number[] = [ONE >>> 8];

/** Computes the CRC-32 of two concatenated texts, from the CRC-32 of each and the length of the second in bytes. */
export function crc32Combine(first: number, second: number, secondLength: number): number {
  let shifted = first;
  let power = 0;
  for (let rest = secondLength; rest > 0; rest = Math.floor(rest / 2), power++) {
    if (rest % 2 === 1) shifted = multiply(shifted, bytePower(power));
  }
  return (shifted ^ second) >>> 0;
}

function bytePower(power: number): number {
  for (let known = BYTE_POWERS.length; known <= power; known++) {
    const last = BYTE_POWERS[known - 1] ?? ONE;
    BYTE_POWERS.push(multiply(last, last));
  }
  return BYTE_POWERS[power] ?? ONE;
}

/** Returns the product of two polynomials over GF(2), modulo the CRC's polynomial. */
function multiply(a: number, b: number): number {
  let product = 0;
  let term = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= term;
    term = (term & 1) === 1 ? (term >>> 1) ^ POLYNOMIAL : term >>> 1;
  }
  return product >>> 0;
}

import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(pbkdf2);

/** PostgreSQL's default (`scram_iterations`). */
const ITERATIONS = 4096;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

/**
 * Makes the verifier that PostgreSQL stores in place of a password (SCRAM-SHA-256, RFC 5802 and 7677): as it is made
 * here, the password itself is neither sent nor written to the log of a server that logs its statements.
 * @param password of printable ASCII characters: others would have to be prepared (SASLprep) first
 * @throws RangeError for others
 */
export async function scramVerifier(password: string, salt: Buffer = randomBytes(SALT_BYTES)): Promise<string> {
  if (!/^[\x20-\x7e]+$/.test(password)) throw new RangeError('a password is one line of printable ASCII characters');
  const salted = await derive(password, salt, ITERATIONS, KEY_BYTES, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${keyed('Server Key').toString('base64')}`;
}

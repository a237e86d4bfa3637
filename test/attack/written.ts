import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { AttackStage } from './stage.js';

const LIBS = fileURLToPath(new URL('../../libs', import.meta.url));

/** Sources of libraries, without tests and what is generated. */
function sources(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory())
      return ['node_modules', 'dist', 'testing', 'gen', 'bench'].includes(entry.name) ? [] : sources(path);
    return /\.ts$/.test(entry.name) && !/\.(test|d)\.ts$/.test(entry.name) ? [path] : [];
  });
}

/** A value that is called after a secret, or after what is computed of one. */
const SECRET = String.raw`(?:\b[A-Za-z_$][\w$]*\.|this\.#)*\b(?:\w*(?:[sS]ecret|[pP]assword|[sS]ignature|[mM]ac)|token|bearer)\b(?![.(\w])`;
/** Whether there is one at all is no secret. */
const ABSENT = String.raw`\s*(?:undefined\b|null\b|'|\d)`;
const COMPARED = new RegExp(`${SECRET}\\s*[!=]==?(?!=|${ABSENT})|[!=]==?(?!=)\\s*${SECRET}`);

/** Secrets in what is written, and how they are compared (issue 14, "It must show"). To be run behind all other attacks. */
export function writtenSecrets(stage: AttackStage): void {
  describe('what attackers could read afterwards [issue 14, 1 and 6]', () => {
    test('holds none of the secrets that were used: no log of a server, no audit log', () => {
      const written = stage.written();
      expect([...written.keys()]).toEqual(
        expect.arrayContaining(['api-server-0.log', 'watch-gateway-0.log', 'audit.log']),
      );
      expect(written.get('audit.log')?.split('\n').length).toBeGreaterThan(500);
      expect(stage.secrets.size).toBeGreaterThan(60);
      for (const [name, text] of written) {
        for (const [what, secret] of stage.secrets) {
          for (const form of [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret)])
            expect.soft(text.includes(form), `${what} in ${name}`).toBe(false);
        }
      }
    });

    test('and in no metric', async () => {
      for (const api of stage.clients({ token: stage.cluster.token })) {
        const { text } = await api.get('/metrics');
        for (const [what, secret] of stage.secrets) expect.soft(text.includes(secret), what).toBe(false);
      }
    });
  });

  describe('secrets are compared in a time that says nothing of them [issue 14, 1]', () => {
    test('by one function alone', () => {
      for (const line of [
        'if (given.secret === kept.secret)',
        'return mac !== this.#mac;',
        'token == known',
        'a === data.token',
      ])
        expect(COMPARED.test(line), line).toBe(true);
      const compared = sources(LIBS).flatMap((file) =>
        readFileSync(file, 'utf8')
          .split('\n')
          .flatMap((line, at) =>
            COMPARED.test(line) && !/^\s*(?:\*|\/\/)/.test(line)
              ? [`${file.slice(LIBS.length)}:${at + 1}: ${line.trim()}`]
              : [],
          ),
      );
      expect(compared).toEqual([]);
    });

    test('or are looked up by a digest under a key of the process', () => {
      const files = [
        'authentication/src/token-file.ts',
        'authentication/src/verified-tokens.ts',
        'authentication/src/tokens/service-account-tokens.ts',
        'webhooks/src/verdict-cache.ts',
      ];
      for (const file of files)
        expect(readFileSync(join(LIBS, file), 'utf8'), file).toMatch(
          /randomBytes\(32\)[\s\S]*hash\('sha256', this\.#(?:key|secret) \+ /,
        );
    });
  });
}

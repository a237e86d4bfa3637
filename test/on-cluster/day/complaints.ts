import { readFileSync } from 'node:fs';

/** What programs log of an API that refuses, breaks or cannot be read. Conflicts and what is gone belong to every day. */
const OF_THE_API =
  /forbidden|unauthorized|internal ?error|error on the server|the server (?:was unable|rejected|has asked|could not find)|unable to decode|no kind|is invalid|failed to (?:list|watch)|stream error|unexpected (?:EOF|object)|too old resource version/i;

interface Logged {
  readonly name: string;
  readonly logFile: string;
}

/** Returns the errors that programs have logged of the API, and all errors of servers of the API, behind the program's name. */
export const complaints = (programs: readonly Logged[]): string[] =>
  programs.flatMap(({ name, logFile }) =>
    readFileSync(logFile, 'utf8')
      .split('\n')
      .filter((line) => /^E\d{4} /.test(line) && (name === 'server' || OF_THE_API.test(line)))
      .map((line) => `${name}: ${line}`),
  );

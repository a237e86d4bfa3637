import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { complaints } from './complaints.js';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'complaints-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

/** A program of this name that has logged these lines. */
function logged(name: string, ...lines: readonly string[]) {
  const logFile = join(dir, `${name}.log`);
  writeFileSync(logFile, `${lines.join('\n')}\n`);
  return { name, logFile };
}

it('tells errors that components log of the API', () => {
  const refused = 'E1129 20:54:10.845312     455 reflector.go:148] failed to list *v1.Node: nodes is forbidden';
  const lines = [
    'I1129 20:54:10.845312     455 reflector.go:148] nodes is forbidden',
    'E1129 20:54:10.845312     455 disruption.go:612] the object has been modified; please apply your changes',
    'E1129 20:54:10.845312     455 stateful_set.go:430] pods "keeper-0" not found',
    'E1129 20:54:10.845312     455 server.go:1157] "Failed to set rlimit" err="operation not permitted"',
  ];
  expect(complaints([logged('manager', refused, ...lines)])).toEqual([`manager: ${refused}`]);
});

it('tells all errors of a server of the API', () => {
  const error = 'E1129 20:54:10.845 "anything at all"';
  expect(complaints([logged('server', 'I1129 20:54:10.845 "serving"', error)])).toEqual([`server: ${error}`]);
});

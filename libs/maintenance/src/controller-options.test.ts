import { defineOptions, readCommandLine } from '@orch/runtime';
import { expect, it } from 'vitest';
import { CONTROLLERS, checkNamedControllers, controllerOptions, runsController } from './controller-options.js';

function parsed(...args: string[]): readonly string[] {
  const refused = { write: (text: string) => expect(text).toBe('') };
  const options = defineOptions(controllerOptions);
  const line = readCommandLine(options, args, '', { stdout: refused, stderr: refused, env: {} });
  if (!line.run) throw new Error('the options were refused');
  return line.values.controllers;
}
const running = (...args: string[]) => CONTROLLERS.filter((name) => runsController(parsed(...args), name));

it('runs all loops unless some are taken off', () => {
  expect(running()).toEqual(CONTROLLERS);
  expect(running('--controllers=*,-csrsigning,-namespace')).toEqual(
    CONTROLLERS.filter((name) => name !== 'csrsigning' && name !== 'namespace'),
  );
});

it('runs those alone that are named', () => {
  expect(running('--controllers=namespace,serviceaccount')).toEqual(['namespace', 'serviceaccount']);
  expect(running('--controllers=-namespace')).toEqual([]);
});

it('refuses names that no loop has', () => {
  expect(() => parsed('--controllers=*,-deployment')).toThrow('-deployment');
});

it('refuses a name of which no controller runs, and says which there are', () => {
  const running = CONTROLLERS.filter((name) => name !== 'serviceaccount');
  const check = (...args: string[]) => checkNamedControllers(parsed(...args), running);
  const known = running.join(', ');
  expect(() => check('--controllers=*,serviceaccount')).toThrow(`nothing runs as serviceaccount`);
  expect(() => check('--controllers=namespace,serviceaccount')).toThrow(`known here: ${known}`);
  for (const entries of ['*', '*,-serviceaccount', 'namespace', '-serviceaccount'])
    expect(() => check(`--controllers=${entries}`)).not.toThrow();
  expect(() => checkNamedControllers(parsed(), [])).not.toThrow();
});

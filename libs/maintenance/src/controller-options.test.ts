import { defineOptions, readCommandLine } from '@orch/runtime';
import { describe, expect, it } from 'vitest';
import {
  CONTROLLERS,
  checkNamedControllers,
  controllerOptions,
  runsController,
  yieldsController,
} from './controller-options.js';

function values(...args: string[]) {
  const refused = {
    write(text: string) {
      if (text !== '') throw new Error(text);
    },
  };
  const options = defineOptions(controllerOptions);
  const line = readCommandLine(options, args, '', { stdout: refused, stderr: refused, env: {} });
  if (!line.run) throw new Error('the options were refused');
  return line.values;
}
const parsed = (...args: string[]): readonly string[] => values(...args).controllers;
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
  const check = (...args: string[]) => checkNamedControllers(values(...args), running);
  const known = running.join(', ');
  expect(() => check('--controllers=*,serviceaccount')).toThrow(`nothing runs as serviceaccount`);
  expect(() => check('--controllers=namespace,serviceaccount')).toThrow(`known here: ${known}`);
  for (const entries of ['*', '*,-serviceaccount', 'namespace', '-serviceaccount'])
    expect(() => check(`--controllers=${entries}`)).not.toThrow();
  expect(() => check('--yielding-controllers=*,serviceaccount')).toThrow(
    '--yielding-controllers: nothing runs as serviceaccount',
  );
  expect(() => check('--yielding-controllers=namespace', '--controllers=*')).not.toThrow();
  for (const entries of ['*', '*,-serviceaccount', '-serviceaccount'])
    expect(() => check(`--yielding-controllers=${entries}`)).not.toThrow();
  expect(() => checkNamedControllers(values(), [])).not.toThrow();
});

describe('controllers that yield', () => {
  const yielding = (...args: string[]) =>
    [...CONTROLLERS, 'custom-resources'].filter((name) => yieldsController(values(...args).yieldingControllers, name));

  it('are none unless they are named, and never the one that counts quotas', () => {
    expect(yielding()).toEqual([]);
    expect(yielding('--yielding-controllers=*')).toEqual(CONTROLLERS.filter((name) => name !== 'resourcequota'));
    expect(yielding('--yielding-controllers=namespace,csrcleaner')).toEqual(['csrcleaner', 'namespace']);
    expect(yielding('--yielding-controllers=*,-csrsigning')).not.toContain('csrsigning');
    expect(() => values('--yielding-controllers=*,resourcequota')).toThrow('cannot yield');
    expect(() => values('--yielding-controllers=deployment')).toThrow('deployment');
  });

  it('follow one lease, of a namespace and a name', () => {
    expect(values().controllerManagerLease).toBe('kube-system/kube-controller-manager');
    expect(values('--controller-manager-lease=a/b.c').controllerManagerLease).toBe('a/b.c');
    for (const lease of ['', 'a', '/', 'a/', '/b', 'a/b/c', 'A/b', 'a/B', 'a.b/c'])
      expect(() => values(`--controller-manager-lease=${lease}`), lease).toThrow('NAMESPACE/NAME');
  });
});

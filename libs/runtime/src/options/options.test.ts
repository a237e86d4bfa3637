import { describe, expect, expectTypeOf, test } from 'vitest';
import { readCommandLine } from './command-line.js';
import { defineOptions, OptionsError } from './options.js';

const options = defineOptions({
  'secure-port': { type: 'int', default: 6443, min: 0, max: 65535, help: 'Port of the HTTPS server.' },
  'cert-dir': { type: 'string', help: 'Where certificates lie.' },
  naming: { type: 'string', choices: ['one', 'two'], default: 'one', help: 'Profile.' },
  'drain-time': { type: 'duration', default: 300_000, min: 0, help: 'Time to drain.' },
  'cache-size': { type: 'bytes', default: 67108864, help: 'Budget.' },
  'anonymous-auth': { type: 'bool', default: true, help: 'Allow anonymous requests.' },
  profiling: { type: 'bool', deprecated: 'use --trace', help: 'Profile.' },
  'nats-url': { type: 'list', default: ['a'], help: 'Servers.' },
  'runtime-config': { type: 'map', help: 'APIs.' },
  v: { type: 'int', short: 'v', default: 0, help: 'Verbosity.' },
});
const parse = (...argv: string[]) => options.parse(argv);
const problemsOf = (...argv: string[]): readonly string[] => {
  try {
    parse(...argv);
  } catch (error) {
    if (error instanceof OptionsError) return error.problems;
    throw error;
  }
  return [];
};

describe('reading', () => {
  test('defaults', () => {
    expect(parse().values).toEqual({
      securePort: 6443,
      certDir: undefined,
      naming: 'one',
      drainTime: 300_000,
      cacheSize: 67108864,
      anonymousAuth: true,
      profiling: false,
      natsUrl: ['a'],
      runtimeConfig: new Map(),
      v: 0,
    });
  });

  test('every form of every type', () => {
    const { values, warnings } = parse(
      ...['--secure-port=8443', '--cert-dir', '/tmp/x', '--naming=two', '--drain-time', '1m', '--cache-size=1Ki'],
      ...['--anonymous-auth=false', '--profiling', '--nats-url=b,c', '--nats-url', 'd'],
      ...['--runtime-config=batch/v1=false,api/all=true', '--runtime-config', 'api/all=false,__proto__=1', '-v', '4'],
    );
    expect(values).toEqual({
      securePort: 8443,
      certDir: '/tmp/x',
      naming: 'two',
      drainTime: 60_000,
      cacheSize: 1024,
      anonymousAuth: false,
      profiling: true,
      natsUrl: ['b', 'c', 'd'],
      runtimeConfig: new Map([
        ['batch/v1', 'false'],
        ['api/all', 'false'],
        ['__proto__', '1'],
      ]),
      v: 4,
    });
    expect(warnings).toEqual(['Flag --profiling has been deprecated, use --trace']);
    expect(parse('-v=7').values.v).toBe(7);
    expect(parse('-v7').values.v).toBe(7);
    expect(parse('--cert-dir', '-odd').values.certDir).toBe('-odd');
  });

  test('values are typed', () => {
    const { values } = parse();
    expectTypeOf(values.securePort).toEqualTypeOf<number>();
    expectTypeOf(values.certDir).toEqualTypeOf<string | undefined>();
    expectTypeOf(values.naming).toEqualTypeOf<'one' | 'two'>();
    expectTypeOf(values.natsUrl).toEqualTypeOf<readonly string[]>();
    expectTypeOf(values.runtimeConfig).toEqualTypeOf<ReadonlyMap<string, string>>();
    const needed = defineOptions({ url: { type: 'string', required: true, help: '' } });
    expectTypeOf(needed.parse(['--url=x']).values.url).toEqualTypeOf<string>();
  });
});

describe('refusing', () => {
  test.each([
    [['--nope'], ['unknown flag: --nope']],
    [['--nope', 'value'], ['unknown flag: --nope']],
    [['--constructor=1'], ['unknown flag: --constructor']],
    [['-x'], ['unknown flag: -x']],
    [['stray'], ['unexpected argument: "stray"']],
    [['--secure-port'], ['--secure-port: the flag needs an argument']],
    [['--secure-port='], ['--secure-port: "" is not an integer']],
    [['--secure-port=65536'], ['--secure-port: 65536 is more than the most allowed, 65535']],
    [['--drain-time=-1s'], ['--drain-time: -1s is less than the least allowed, 0s']],
    [['--naming=three'], ['--naming: "three" is not one of one, two']],
    [['--anonymous-auth=maybe'], ['--anonymous-auth: "maybe" is not a boolean (true or false)']],
    [['--anonymous-auth', 'false'], ['unexpected argument: "false"']],
    [['--runtime-config=x'], ['--runtime-config: "x" is not of the form key=value']],
  ])('%j', (argv, problems) => expect(problemsOf(...argv)).toEqual(problems));

  test('a value that a check refuses, beside other problems', () => {
    const check = (value: string | readonly string[]) => {
      if (value.includes('bad')) throw new RangeError('not good');
    };
    const checked = defineOptions({
      range: { type: 'string', default: 'bad', check, help: '' },
      ranges: { type: 'list', check, help: '' },
    });
    expect(checked.parse([]).values.range, 'a default is not looked at').toBe('bad');
    expect(() => checked.parse(['--range=bad', '--ranges=good,bad', '--nope'])).toThrow(
      new OptionsError(['unknown flag: --nope', '--range: not good', '--ranges: not good']),
    );
  });

  test('all problems are told at once', () =>
    expect(problemsOf('--nope', '--secure-port=x', '--also')).toHaveLength(3));

  test('a required option', () => {
    const needed = defineOptions({ url: { type: 'string', required: true, help: 'Address.' } });
    expect(() => needed.parse([])).toThrow('--url is required');
    expect(needed.parse(['--help']).help).toBe(true);
    expect(needed.parse([], { ORCH_URL: 'x' }).values.url).toBe('x');
  });

  test('entries of a list that are no choice', () => {
    const suites = defineOptions({ suites: { type: 'list', choices: ['a', 'b'], help: '' } });
    expect(suites.parse(['--suites=a,b']).values.suites).toEqual(['a', 'b']);
    expect(() => suites.parse(['--suites=a,c'])).toThrow('--suites: "c" is not one of a, b');
  });
});

describe('the environment', () => {
  const from = (env: Record<string, string>, ...argv: string[]) => options.parse(argv, env);

  test('gives what the command line does not', () => {
    const env = {
      ORCH_SECURE_PORT: '8443',
      ORCH_NATS_URL: 'b,c',
      ORCH_ANONYMOUS_AUTH: 'false',
      ORCH_V: '2',
      PATH: '/',
    };
    const { values, warnings } = from(env, '--nats-url=d');
    expect(values).toMatchObject({ securePort: 8443, natsUrl: ['d'], anonymousAuth: false, v: 2 });
    expect(warnings).toEqual([]);
  });

  test('is judged as the command line is, and an empty variable is none', () => {
    expect(() => from({ ORCH_SECURE_PORT: '65536' })).toThrow('ORCH_SECURE_PORT: 65536 is more than');
    expect(from({ ORCH_SECURE_PORT: '' }).values.securePort).toBe(6443);
    expect(from({ ORCH_PROFILING: 'true' }).warnings).toEqual([
      'Variable ORCH_PROFILING has been deprecated, use --trace',
    ]);
  });

  test('with a variable that is no option gives a warning, which does not hold its value', () => {
    expect(from({ ORCH_SECUREPORT: 'secret' }).warnings).toEqual([
      'Variable ORCH_SECUREPORT is no option and has no effect',
    ]);
  });

  test('as a kubelet fills it for Services orch and orch-secure says nothing', () => {
    const tcp = 'tcp://10.0.0.1:443';
    const { values, warnings } = from({
      ORCH_SERVICE_HOST: '10.0.0.1',
      ORCH_SERVICE_PORT: '443',
      ORCH_SERVICE_PORT_HTTPS: '443',
      ORCH_PORT: tcp,
      ORCH_PORT_443_TCP: tcp,
      ORCH_PORT_443_TCP_PROTO: 'tcp',
      ORCH_PORT_443_TCP_PORT: '443',
      ORCH_PORT_443_TCP_ADDR: '10.0.0.1',
      ORCH_SECURE_PORT: tcp,
    });
    expect([values.securePort, warnings]).toEqual([6443, []]);
  });
});

describe('the command line of a program', () => {
  const env: Record<string, string> = {};
  const run = (...argv: string[]) => {
    const out = { stdout: '', stderr: '' };
    const result = readCommandLine(options, argv, 'server [options]', {
      stdout: { write: (text) => (out.stdout += text) },
      stderr: { write: (text) => (out.stderr += text) },
      env,
    });
    return { ...out, result };
  };

  test('--help names every option with default, unit and description', () => {
    const { stdout, result } = run('--help');
    expect(result).toEqual({ run: false, exitCode: 0 });
    for (const name of Object.keys(options.definitions)) expect(stdout).toContain(`--${name}`);
    expect(stdout).toContain('--drain-time duration\n      Time to drain. (at least 0s; default 5m0s)');
    expect(stdout).toContain('Budget. (default 64Mi)');
    expect(stdout).toContain('-v, --v int');
    expect(stdout).toContain('DEPRECATED: use --trace.');
  });

  test('an unknown flag exits with 1 and says why in a line', () => {
    expect(run('--bogus')).toEqual({
      stdout: '',
      stderr: 'Error: unknown flag: --bogus\n',
      result: { run: false, exitCode: 1 },
    });
  });

  test('wrong options are told beside --help too, in whichever order', () => {
    for (const argv of [
      ['--help', '--bogus'],
      ['--bogus', '--help'],
    ])
      expect(run(...argv)).toEqual(run('--bogus'));
  });

  test('warnings go to standard error', () => {
    expect(run('--profiling')).toMatchObject({
      stderr: 'Warning: Flag --profiling has been deprecated, use --trace\n',
      result: { run: true },
    });
  });
});

describe('what takes several options to judge', () => {
  const pair = defineOptions(
    { low: { type: 'int', default: 0, help: 'Low.' }, high: { type: 'int', default: 9, help: 'High.' } },
    ({ low, high }) => (low > high ? ['--low is above --high'] : []),
  );

  test('is judged once each is right, and not beside help', () => {
    expect(pair.parse(['--low=1']).values.low).toBe(1);
    expect(() => pair.parse(['--low=10'])).toThrow(new OptionsError(['--low is above --high']));
    expect(() => pair.parse(['--low=ten'])).toThrow(/^--low/);
    expect(pair.parse(['--low=10', '--help']).help).toBe(true);
  });
});

import { afterEach, expect, it, vi } from 'vitest';
import { main } from './index.js';

afterEach(() => vi.restoreAllMocks());

it.each([
  [['standalone', '--data-dir=/dev/null/x'], /^Error: .*\/dev\/null\/x.*\n$/],
  [['standalone', '--authorization-mode=Nope'], /^Error: --authorization-mode: .*\n$/],
  [['api-server', '--no-such-flag'], /^(Error: .*\n)+$/],
])('%j ends with 1 and a line', async (args, line) => {
  let reported = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    reported += String(text);
    return true;
  });
  expect(await main(args)).toBe(1);
  expect(reported).toMatch(line);
});

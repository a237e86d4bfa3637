import { registrationOf, startExtension, type TestExtension } from '@orch/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Backing, LOCAL, PASSED } from './availability.js';
import { AvailabilityChecks } from './availability-checks.js';
import type { RemoteRegistration } from './remote-registrations.js';

const POLL = { timeout: 20_000, interval: 10 };
const OUTSIDE: Backing = { service: { spec: { type: 'ExternalName' } }, endpoints: undefined };

let extension: TestExtension;
beforeAll(async () => {
  extension = await startExtension();
});
afterAll(() => extension.stop());

/** Checks that look again as soon as there is a reason to. */
function checksOf(registrations: readonly RemoteRegistration[], isKnown = () => true) {
  let answers = 0;
  const checks: AvailabilityChecks = new AvailabilityChecks({
    backings: { of: () => (isKnown() ? OUTSIDE : undefined) },
    extensions: { unverified: () => extension.target },
    onAnswer: () => {
      answers++;
    },
  });
  return { checks, look: () => registrations.map((each) => checks.of(each)), answers: () => answers };
}

describe('whether group-versions are there', () => {
  it('is known of what is served here, and of nothing whose service is not known yet', () => {
    const { checks } = checksOf([], () => false);
    expect(checks.of({ ...registrationOf(), service: undefined })).toEqual(LOCAL);
    expect(checks.of(registrationOf())).toBeUndefined();
  });

  it('is found out of each apart: one that does not answer keeps nobody from the others', async () => {
    extension.answer = (req, res) => {
      if (req.url !== '/apis/slow.com/v1') res.end('{}');
    };
    const slow = registrationOf({ name: 'v1.slow.com', group: 'slow.com' });
    const { checks, look } = checksOf([slow, registrationOf()]);
    await expect.poll(look, POLL).toEqual([undefined, PASSED]);
    await expect.poll(() => look()[0]?.message, POLL).toMatch(/^failing or missing response from .*no answer within/);
    checks.stop();
  });

  it('is by one answer of several, and by none with another status than 2xx', async () => {
    let asked = 0;
    // A request of the checks of before may still be under way.
    const isOurs = (url: string | undefined) => url?.startsWith('/apis/example.com/') ?? false;
    extension.answer = (req, res) => void res.writeHead(isOurs(req.url) && ++asked === 3 ? 200 : 500).end();
    const passing = checksOf([registrationOf()]);
    await expect.poll(passing.look, POLL).toEqual([PASSED]);
    passing.checks.stop();
    extension.answer = (_req, res) => void res.writeHead(301, { location: '/' }).end();
    const failing = checksOf([registrationOf()]);
    await expect.poll(() => failing.look()[0]?.message, POLL).toContain('bad status from https://127.0.0.1:');
    expect(failing.look()[0]?.reason).toBe('FailedDiscoveryCheck');
    failing.checks.stop();
  });

  it('is found out again after a failure, without being told', async () => {
    extension.answer = (_req, res) => void res.writeHead(503).end();
    const { checks, look, answers } = checksOf([registrationOf()]);
    look();
    await expect.poll(answers, POLL).toBe(1);
    extension.answer = (_req, res) => void res.end('{}');
    expect(checks.pauseOf(registrationOf().name)).toBeLessThanOrEqual(250);
    await expect.poll(look, POLL).toEqual([PASSED]);
    expect(checks.pauseOf(registrationOf().name)).toBeGreaterThan(20_000);
    checks.stop();
  });
});

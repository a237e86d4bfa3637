import { describe, expect, it } from 'vitest';
import { invalidValue, required } from './field-error.js';
import { validateObjectMeta } from './object-meta-validation.js';
import { invalid } from './status.js';

describe('invalid', () => {
  it('tells every error of a few', () => {
    const { status } = invalid('Pod', '', 'a', [required('x'), required('y')]);
    expect(status.message).toBe('Pod "a" is invalid: [x: Required value, y: Required value]');
    expect(status.details?.causes).toHaveLength(2);
  });

  it('counts what is beyond the first thousand', () => {
    const errors = Array.from({ length: 50_000 }, (_, i) => required(`x[${i}]`));
    const { status } = invalid('Pod', '', 'a', errors);
    expect(status.details?.causes).toHaveLength(1_000);
    expect(status.message).toMatch(/x\[999\]: Required value, and 49000 more errors\]$/);
  });

  it('cuts long values, and tells fewer of them', () => {
    const long = 'v'.repeat(1_000_000);
    const errors = Array.from({ length: 100 }, () => invalidValue(`x[${long}]`, long, 'wrong'));
    const text = JSON.stringify(invalid('Pod', '', long, errors).status);
    expect(text.length).toBeLessThan(400_000);
    expect(text).toContain('more errors');
  });

  it('shows large numbers as numbers', () => {
    expect(invalidValue('a', 2n ** 62n, 'wrong').message).toBe('Invalid value: 4611686018427387904: wrong');
  });

  it('shows of a great structure as much as can be read', () => {
    const owners = Array.from({ length: 20_000 }, (_, i) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      name: `a${i}`,
      uid: `${i}`,
      controller: true,
    }));
    const errors = validateObjectMeta(
      { name: 'a', ownerReferences: owners },
      { namespaced: false, nameRule: 'subdomain', path: 'metadata' },
    );
    expect(errors).toHaveLength(19_999);
    expect(errors[0]?.message).toMatch(/^Invalid value: \[\{"apiVersion":"v1"/);
    expect(JSON.stringify(invalid('Pod', '', 'a', errors).status).length).toBeLessThan(400_000);
  });
});

it('takes more errors than a call takes arguments', () => {
  const owners = Array.from({ length: 100_000 }, () => ({ apiVersion: '', kind: '', name: '', uid: '' }));
  const rules = { namespaced: false, nameRule: 'subdomain', path: 'metadata' } as const;
  expect(validateObjectMeta({ name: 'a', ownerReferences: owners }, rules)).toHaveLength(400_000);
});

import { quantityOf } from '../rules/checks.js';
import { at, textAt } from '../values/fields.js';

const THOUSANDTHS = 1000n;

/** Of amounts of bytes that are no whole ones, among those of a map by resource. */
export const fractionWarnings = (amounts: unknown, resources: readonly string[], path: string): string[] =>
  resources.flatMap((resource) => {
    const text = textAt(amounts, resource);
    const quantity = text === '' ? undefined : quantityOf(text);
    if (!quantity || quantity.milliValue() % THOUSANDTHS === 0n) return [];
    return [
      `${path}[${resource}]: fractional byte value ${JSON.stringify(quantity.toString())} is invalid, must be an integer`,
    ];
  });

/** Of the spec of a claim. */
export const claimWarnings = (spec: unknown, path: string): string[] =>
  ['requests', 'limits'].flatMap((name) =>
    fractionWarnings(at(spec, 'resources', name), ['storage'], `${path}.resources.${name}`),
  );

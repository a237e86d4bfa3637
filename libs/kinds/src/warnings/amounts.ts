import type { PersistentVolumeClaimSpec } from '@orch/schema/types/core/v1';
import { quantityOf } from '../rules/checks.js';

const THOUSANDTHS = 1000n;

/** Warns of fractions of bytes among the amounts of some resources. */
export const fractionWarnings = (
  amounts: Readonly<Record<string, string>> | undefined,
  resources: readonly string[],
  path: string,
): string[] =>
  resources.flatMap((resource) => {
    const text = amounts?.[resource] ?? '';
    const quantity = text === '' ? undefined : quantityOf(text);
    if (!quantity || quantity.milliValue() % THOUSANDTHS === 0n) return [];
    return [
      `${path}[${resource}]: fractional byte value ${JSON.stringify(quantity.toString())} is invalid, must be an integer`,
    ];
  });

/** Warns of the amounts in the spec of a claim. */
export const claimWarnings = (spec: PersistentVolumeClaimSpec | undefined, path: string): string[] =>
  (['requests', 'limits'] as const).flatMap((name) =>
    fractionWarnings(spec?.resources?.[name], ['storage'], `${path}.resources.${name}`),
  );

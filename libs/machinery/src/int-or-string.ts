/** A number, or a text that is usually a percentage. */
export type IntOrString = number | string;

const PERCENT = /^\d+%$/;

/** Whether a text is a percentage such as `25%`. */
export const isPercent = (text: string): boolean => PERCENT.test(text);

/**
 * The number itself, or the share of `total` that a percentage stands for, rounded to a whole.
 * @returns undefined for texts that are not percentages
 */
export function intOrPercent(value: IntOrString, total: number, rounding: 'up' | 'down'): number | undefined {
  if (typeof value === 'number') return value;
  if (!isPercent(value)) return undefined;
  const share = (Number(value.slice(0, -1)) * total) / 100;
  return rounding === 'up' ? Math.ceil(share) : Math.floor(share);
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * By how much y changes with each tenfold of x, as a share of the first point's y: the slope of the least-squares line
 * over log10(x), where an x below 1 counts as 1. NaN for fewer than two different x.
 */
export function slopePerDecade(points: readonly Point[]): number {
  const at = points.map(({ x, y }) => ({ decade: Math.log10(Math.max(x, 1)), y }));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const middle = mean(at.map(({ decade }) => decade));
  const level = mean(at.map(({ y }) => y));
  const spread = at.reduce((sum, { decade }) => sum + (decade - middle) ** 2, 0);
  const together = at.reduce((sum, { decade, y }) => sum + (decade - middle) * (y - level), 0);
  return together / spread / (points[0]?.y ?? Number.NaN);
}

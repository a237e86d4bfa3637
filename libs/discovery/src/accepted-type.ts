/**
 * Returns the type that an `Accept` header prefers: by weights, then exact types before ranges. Parameters are not
 * compared, nor is the syntax of types checked: that of OpenAPI's binary documents is no valid one.
 * @param types in lower case; the first is the default without a header
 */
export function acceptedType<T extends string>(header: string | undefined, types: readonly T[]): T | undefined {
  if (!header?.trim()) return types[0];
  const wanted = header.split(',').map(wantedOf);
  const byWeight = wanted.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight || a.room - b.room);
  for (const { range } of byWeight) {
    const found = types.find((type) => range === '*/*' || range === type || range === `${type.split('/')[0]}/*`);
    if (found) return found;
  }
  return undefined;
}

function wantedOf(clause: string): { range: string; weight: number; room: number } {
  const [range = '', ...parameters] = clause.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return { range, weight: Number(weight), room: range.split('*').length };
}

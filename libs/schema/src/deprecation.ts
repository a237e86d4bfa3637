import { formatApiVersion, type GroupVersionKind } from '@orch/machinery';
import type { ApiLifecycle } from './model.js';

/** The release whose API this is: shown by `GET /version`, and the reference point of lifecycles. */
export const API_RELEASE = '1.27.16';

/** Whether use of the API is warned about and counted in this release (spec: "Deprecation rules"). */
export function isDeprecated(lifecycle: ApiLifecycle, release: string = API_RELEASE): boolean {
  const { warning, deprecated } = lifecycle;
  return warning !== undefined || (deprecated !== undefined && minorOf(deprecated) <= minorOf(release));
}

/** Whether the API has been removed by then. */
export const isRemoved = ({ removed }: ApiLifecycle, release: string): boolean =>
  removed !== undefined && minorOf(removed) <= minorOf(release);

/** Whether the API is introduced after this release. */
export const isLater = ({ introduced }: ApiLifecycle, release: string = API_RELEASE): boolean =>
  introduced !== undefined && minorOf(introduced) > minorOf(release);

/** The text of the `Warning` header for use of a deprecated kind; undefined when it is not deprecated. */
export function deprecationWarning(
  definition: GroupVersionKind & { readonly lifecycle: ApiLifecycle },
  release: string = API_RELEASE,
): string | undefined {
  const { warning, deprecated, removed, replacement } = definition.lifecycle;
  if (warning !== undefined) return warning;
  if (!isDeprecated(definition.lifecycle, release)) return undefined;
  const unavailable = removed ? `, unavailable in v${removed}+` : '';
  const instead = replacement ? `; use ${named(replacement)}` : '';
  return `${named(definition)} is deprecated in v${deprecated}+${unavailable}${instead}`;
}

const named = (gvk: GroupVersionKind) => `${formatApiVersion(gvk)} ${gvk.kind}`;
const minorOf = (release: string) => Number(release.split('.')[1]);

import type { ApiObject, Names } from '@orch/machinery';
import { type Amounts, amountOf, ONE } from './amounts.js';
import type { Evaluator } from './usage-evaluator.js';

const CLAIMS = 'persistentvolumeclaims';
const STORAGE = 'requests.storage';
const COUNTED: ReadonlySet<string> = new Set([`count/${CLAIMS}`, CLAIMS, STORAGE]);

interface Claim extends ApiObject {
  readonly spec?: {
    readonly storageClassName?: string;
    readonly resources?: { readonly requests?: Readonly<Record<string, unknown>> };
  };
}

/** Counts volume claims and the storage that they request, in all and by storage class. */
export function claimEvaluator(names: Names): Evaluator {
  const ofClass = `.storageclass.${names.group('storage.orch.io')}/`;
  const classKey = names.key('volume.beta.orch.io/storage-class');
  return {
    usage(object) {
      const { metadata, spec } = object as Claim;
      const storageClass = metadata?.annotations?.[classKey] ?? spec?.storageClassName ?? '';
      return usageOf(object as Claim, storageClass === '' ? undefined : `${storageClass}${ofClass}`);
    },
    counts: (name) =>
      COUNTED.has(name) || name.endsWith(`${ofClass}${CLAIMS}`) || name.endsWith(`${ofClass}${STORAGE}`),
    inScope: () => false,
    changes: true,
    limitsUpdates: true,
  };
}

function usageOf({ spec }: Claim, prefix: string | undefined): Amounts {
  const usage = new Map([
    [CLAIMS, ONE],
    [`count/${CLAIMS}`, ONE],
  ]);
  if (prefix !== undefined) usage.set(`${prefix}${CLAIMS}`, ONE);
  const asked = amountOf(spec?.resources?.requests?.storage);
  if (asked === undefined) return usage;
  // Bytes are whole numbers.
  const storage = asked.value() * ONE;
  usage.set(STORAGE, storage);
  return prefix === undefined ? usage : usage.set(`${prefix}${STORAGE}`, storage);
}

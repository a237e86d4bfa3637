import { type CheckedPolicy, typeWarnings } from '@orch/admission';
import { type Controller, informerSource } from '@orch/controllers';
import type { ApiDeps } from '@orch/handlers';
import type { ApiObject, JsonValue } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import type { SharedInformer } from '@orch/runtime/informers';
import { updateOwn } from '@orch/writing';
import { ServedKindForms } from './served-forms.js';

/** Dependencies of the controller of policy status. */
interface PolicyStatusOptions {
  readonly deps: Pick<ApiDeps, 'pipeline' | 'served' | 'scheme'>;
  /** Endpoint of policies in the version that is stored. */
  readonly endpoint: Endpoint;
  readonly policies: Pick<SharedInformer<ApiObject>, 'get' | 'keys' | 'onChange' | 'confirm'>;
  /** Resolves when everything is served that was defined before the call. */
  readonly catchUp: () => Promise<void>;
}

const RETRY = { firstMs: 1_000, longestMs: 60_000 };

/** Reports in the status of each admission policy which of its expressions have wrong types, once for each generation. */
export function policyStatus({ deps, endpoint, policies, catchUp }: PolicyStatusOptions): Controller {
  const own = { pipeline: deps.pipeline, endpoint };
  return {
    name: 'validatingadmissionpolicy-status',
    sources: [informerSource(policies)],
    retry: RETRY,
    async reconcile(name, run) {
      const policy = policies.get(name);
      if (!policy || !isDue(policy)) return undefined;
      await catchUp();
      const { uid = '', generation = 0 } = policy.metadata ?? {};
      const warnings = await typeWarnings((policy.spec ?? {}) as CheckedPolicy, new ServedKindForms(deps));
      await updateOwn({ ...own, run }, { name, uid }, 'status', (current) =>
        isDue(current) ? withWarnings(current, Number(generation), warnings) : current,
      );
      return undefined;
    },
  };
}

function withWarnings(
  current: ApiObject,
  observedGeneration: number,
  expressionWarnings: Awaited<ReturnType<typeof typeWarnings>>,
): ApiObject {
  const typeChecking = { ...(expressionWarnings.length > 0 && { expressionWarnings }) };
  const status = { ...(current.status as object), observedGeneration, typeChecking };
  return { ...current, status: status as unknown as JsonValue };
}

/** Whether the status is of an older generation. */
function isDue({ metadata, status }: ApiObject): boolean {
  const { observedGeneration = 0 } = (status ?? {}) as { observedGeneration?: number };
  return Number(observedGeneration) < Number(metadata?.generation ?? 0);
}

import { parseStoredJson } from '@orch/codec';
import { type ApiObject, unavailable } from '@orch/machinery';
import type { BeginCreation, CreationVerdict, Endpoint, Stored } from '@orch/resources';
import type { DeleteOp, Key } from '@orch/storage';
import { untilNotOvertaken } from './attempts.js';
import type { Attempt } from './committer.js';
import type { Creation, WriteRequest, Written } from './write-request.js';

/** Seconds after which a client may retry. */
const RETRY_SECONDS = 1;

/** A creation that must be admitted before and reported when it has ended: of an object of a custom kind. */
export class GuardedCreation {
  #end: (() => CreationVerdict) | undefined;
  #verdict: CreationVerdict = 'keep';

  constructor(
    private readonly begin: BeginCreation,
    private readonly make: Creation,
  ) {}

  /** Makes the object; called for each attempt. */
  async create(): Promise<ApiObject> {
    this.#end ??= await this.begin();
    return this.make();
  }

  /** Reports that the object was written, or was not. */
  end(): void {
    this.#verdict = this.#end?.() ?? 'keep';
  }

  /** Whether the written object has to be removed again. Valid after {@link end}. */
  get isTakenBack(): boolean {
    return this.#verdict === 'take back';
  }
}

/** Store operations that {@link takeBack} needs. */
interface TakingBack {
  current(key: Key): Promise<Stored | undefined>;
  remove(op: DeleteOp): Promise<Attempt>;
}

/**
 * Removes the object that was just created, even if it was changed meanwhile.
 * @throws StatusError 503, always; StoreUnavailableError
 */
export async function takeBack(tools: TakingBack, request: WriteRequest, made: Written): Promise<never> {
  const { endpoint, key, caller, options } = request;
  const { uid, name } = identityOf(made.stored);
  const target = { namespace: key.namespace, name };
  let stored: Stored | undefined = options.dryRun ? undefined : await lying(tools, endpoint, target, made);
  await untilNotOvertaken({
    most: Number.POSITIVE_INFINITY,
    async attempt() {
      if (!stored || identityOf(stored).uid !== uid) return true;
      const { version, storedVersion, defaults, body } = stored;
      const last = { version, storedVersion, defaults, body };
      const removal = { op: 'delete', type: endpoint.type, ...target, ...last, origin: caller.origin } as const;
      if ((await tools.remove(removal)).outcome === 'committed') return true;
      stored = await tools.current(target);
      return undefined;
    },
    overtaken: () => true,
  });
  throw unavailable('the object was made while its kind may have gone, and was taken back', RETRY_SECONDS);
}

/** Returns the stored object: the response may hold it in another version than the stored one. */
const lying = ({ current }: TakingBack, { stage }: Endpoint, target: Key, { stored }: Written) =>
  stage ? current(target) : stored;

function identityOf({ body }: Pick<Stored, 'body'>): { uid: string; name: string } {
  const { metadata: { uid = '', name = '' } = {} } = parseStoredJson(body) as ApiObject;
  return { uid, name };
}

import { Admission } from '@orch/admission';
import type { ApiDeps } from '@orch/handlers';
import { ObjectReader } from '@orch/reading';
import type { ObjectStore } from '@orch/storage';
import { ObjectRemover, WritePipeline, WriteSets } from '@orch/writing';

/** Parts of the dependencies of handlers that write single objects and read them. */
type Writers = Pick<ApiDeps, 'reader' | 'pipeline' | 'remover' | 'sets' | 'admission'>;

/** Dependencies of writes to whatever store. */
type WritingTools = Omit<ConstructorParameters<typeof WritePipeline>[0], 'store' | 'reader'>;

/** Returns what writes to a store, and reads single objects of it through `reader`. */
export function writersTo(store: ObjectStore, reader: ObjectReader, tools: WritingTools): Writers {
  const { admission, now } = tools;
  const pipeline = new WritePipeline({ ...tools, store, reader });
  const [remover, sets] = [new ObjectRemover({ pipeline, now }), new WriteSets({ ...tools, store })];
  return { reader, pipeline, remover, sets, admission };
}

/** Returns the same for a store that no cache follows: its objects pass no admission plugin and are allocated nothing. */
export function writersApart(store: ObjectStore, tools: WritingTools): Writers {
  const reader = new ObjectReader(store, { peek: () => undefined });
  const allocators = tools.lookingAllocators;
  return writersTo(store, reader, { ...tools, admission: new Admission([]), allocators, isOutdated: undefined });
}

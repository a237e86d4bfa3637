import type { SharedInformer } from '@orch/runtime/informers';
import type { ControllerSource } from './controller.js';

/** Wakes a controller whose keys are those of the objects of an informer, whatever the informer's source. */
export function informerSource(
  informer: Pick<SharedInformer<unknown>, 'keys' | 'onChange' | 'confirm'>,
): ControllerSource {
  return {
    subscribe: (enqueue) =>
      informer.onChange((changed) => {
        for (const key of changed) enqueue(key);
      }),
    keys: () => informer.keys(),
    async confirm() {
      await informer.confirm();
    },
  };
}

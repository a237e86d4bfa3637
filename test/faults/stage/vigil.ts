import type { WatchStream } from '../../support/watch-stream.js';
import type { Stage } from './stage.js';

const PATH = '/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=3600';

/** Watches that must stay open whatever happens behind the server that holds them. */
export class Vigil {
  private constructor(private readonly streams: readonly { readonly url: string; readonly stream: WatchStream }[]) {}

  /** Starts one watch at each address; at all gateways if absent. */
  static async begin(stage: Stage, urls: readonly string[] = stage.cluster.gatewayUrls): Promise<Vigil> {
    const streams = await Promise.all(
      urls.map(async (url) => ({ url, stream: await stage.api(url).watch(`${PATH}&resourceVersion=0`) })),
    );
    return new Vigil(streams);
  }

  /** Reports those that have ended, and closes the others. */
  end(stage: Stage): void {
    for (const { url, stream } of this.streams) {
      stage.must('R.stream', stream.status === 200 && !stream.ended, `the watch at ${url} was ended`);
      stream.close();
    }
  }
}

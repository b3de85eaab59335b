/** Puts accepted events on the queue, cluster by cluster: one whose share is full must not keep others from being stored. */
import { NoRoomError, type Sender } from '../../../../shared/queue/contract.ts';

export interface AcceptedEvent {
  /** Position in the request. */
  index: number;
  cluster: string;
  body: string;
}

export interface Refused {
  cluster: string;
  events: readonly AcceptedEvent[];
  error: NoRoomError;
}

/** Throws what the queue throws, except that there is no room. */
export async function storeEvents(queue: Sender, events: readonly AcceptedEvent[]): Promise<Refused[]> {
  const refused: Refused[] = [];
  for (const [cluster, ofCluster = []] of Object.entries(Object.groupBy(events, (event) => event.cluster))) {
    try {
      await queue.send(
        ofCluster.map(({ body }) => body),
        { group: cluster },
      );
    } catch (error) {
      if (!(error instanceof NoRoomError)) throw error;
      refused.push({ cluster, events: ofCluster, error });
    }
  }
  return refused;
}

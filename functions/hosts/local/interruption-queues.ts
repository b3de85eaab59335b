/** The queues on which clouds tell about machines: which there are by the configuration, and who receives from them. */

import { defined } from '../../../shared/base/defined.ts';
import type { Environment } from '../../../shared/base/environment.ts';
import type { Clock } from '../../../shared/base/runtime.ts';
import type { Config } from '../../../shared/config/load.ts';
import type { AwsConnection } from '../../../shared/platforms/aws/client-options.ts';
import { assumeRole, credentialsFrom } from '../../../shared/platforms/aws/credentials.ts';
import type { ProviderManifest } from '../../../shared/providers/manifest.ts';
import { manifestOf } from '../../../shared/providers/manifests.ts';
import { isQueueUrl, queueNameOf, regionOfUrl } from '../../../shared/queue/sqs/client.ts';
import { receiveFromSqs } from '../../../shared/queue/sqs/receiver.ts';
import type { FunctionServices, QueueFunction } from '../../declaration.ts';
import { providerOptions } from '../common/provider-options.ts';

export interface InterruptionQueue {
  queue: string;
  connection: AwsConnection;
}

/** Each once, however many clusters share it: the watcher finds the cluster of a machine by itself. */
export function interruptionQueues(config: Config, env: Environment, clock: Clock): InterruptionQueue[] {
  const queues = new Map<string, InterruptionQueue>();
  for (const cluster of Object.values(config.clusters)) {
    for (const name of cluster.providers) {
      const provider = config.providers[name];
      const manifest: ProviderManifest | undefined = provider && manifestOf(provider.type);
      const options = providerOptions(provider, cluster) as { [field: string]: string | undefined };
      const announced = manifest?.interruptions?.(options);
      if (announced === undefined) continue;
      const { queue, roleArn, externalId } = announced;
      const region =
        regionOfUrl(queue) ?? announced.region ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? regionUnknown;
      // The URL of a queue that is not at AWS says where its service is.
      const isElsewhere = isQueueUrl(queue) && regionOfUrl(queue) === undefined;
      const endpoint = isElsewhere ? new URL(queue).origin : announced.endpoint;
      const key = [queue, region, endpoint, roleArn].join(' ');
      if (queues.has(key)) continue;
      const keys = credentialsFrom(env);
      const own: AwsConnection = {
        region,
        ...defined({ endpoint, credentials: keys }),
      };
      const role = roleArn && {
        roleArn,
        sessionName: 'poolwright-interruptions',
        ...defined({ externalId }),
      };
      queues.set(key, { queue, connection: role ? { ...own, credentials: assumeRole(own, role, clock) } : own });
    }
  }
  return [...queues.values()];
}

/** The provider itself says at the start that its region is missing. */
const regionUnknown = 'us-east-1';

export interface InterruptionReceivers {
  /** For whoever asks whether the host can do its work. */
  checks(): Record<string, { ok: boolean; message?: string }>;
  stop(): Promise<void>;
}

/** A queue that can't be received from stops nobody: machines that go are then noticed by what they leave behind. */
export function receiveInterruptions(
  queues: readonly InterruptionQueue[],
  watcher: QueueFunction,
  services: FunctionServices,
): InterruptionReceivers {
  const receivers = queues.map(({ queue, connection }) => {
    const name = queueNameOf(queue);
    const receiver = receiveFromSqs({
      queue,
      connection,
      handle: (message, signal) => watcher.handle(services, message, signal),
      onState: (problem) => {
        const { region } = connection;
        if (problem === undefined) services.log.write('interruption.queue.usable', { queue: name, region });
        else services.log.write('interruption.queue.unusable', { queue: name, region, problem });
      },
    });
    return { name, receiver };
  });
  return {
    checks: () =>
      Object.fromEntries(
        receivers.map(({ name, receiver: { problem } }) => [
          `interruption queue ${name}`,
          problem === undefined ? { ok: true } : { ok: false, message: problem },
        ]),
      ),
    stop: async () => {
      await Promise.all(receivers.map(({ receiver }) => receiver.stop()));
    },
  };
}

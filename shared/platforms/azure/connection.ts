/** One identity's way to one cloud. It costs nothing until the first call: the SDKs are loaded then. */

import type { Pipeline } from '@azure/core-rest-pipeline';
import type { Environment } from '../../base/environment.ts';
import type { Result } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import type { ArmAnswer } from './arm-error.ts';
import type { Cloud } from './clouds.ts';
import { type AzureCredential, createCredential, type TokenIssuer } from './credential.ts';
import type { CredentialOptions } from './credential-options.ts';
import { createEntraIssuer } from './entra.ts';
import type { Transport } from './transport.ts';
import { userAgent } from './user-agent.ts';

/** What a connection needs to know; the options of a provider have more. */
export interface ConnectionOptions {
  credential: CredentialOptions;
  cloud: Cloud;
  /** PEM. */
  certificateAuthority?: string;
  writeSeconds?: number;
}

/** What a client of Microsoft's is made with. */
export interface ArmClientParts {
  endpoint: string;
  pipeline: Pipeline;
  httpClient: Transport;
}

export interface AzureConnection<Options extends ConnectionOptions = ConnectionOptions> {
  readonly options: Options;
  readonly clock: Clock;
  readonly credential: AzureCredential;
  parts(): Promise<ArmClientParts>;
  /** Runs one call of a client made with these parts, and gives its answer as it came. */
  exchange(write: boolean, call: (parts: ArmClientParts) => Promise<unknown>): Promise<Result<ArmAnswer>>;
  close(): void;
}

export interface ConnectionContext {
  clock: Clock;
  /** For secrets and proxies. */
  env: Environment;
  /** Instead of Entra ID. */
  issuer?: TokenIssuer;
}

export function connectAzure<Options extends ConnectionOptions>(
  options: Options,
  { clock, env, issuer }: ConnectionContext,
): AzureConnection<Options> {
  const { cloud, certificateAuthority: ca } = options;
  let transport: Promise<Transport> | undefined;
  let parts: Promise<ArmClientParts> | undefined;

  const transportNow = (): Promise<Transport> => {
    // Who may not wait longer for a write has no reason to wait longer for a read: others wait behind it for their turn.
    const limit = options.writeSeconds === undefined ? {} : { timeoutMs: options.writeSeconds * 1000 };
    transport ??= import('./transport.ts').then(({ createTransport }) =>
      createTransport({ ca, env, userAgent, ...limit }),
    );
    return transport;
  };
  const credential = createCredential(
    issuer ?? createEntraIssuer({ credential: options.credential, cloud, env, clock, transport: transportNow }),
    clock,
  );
  const partsNow = (): Promise<ArmClientParts> => {
    parts ??= (async () => {
      const [{ createArmPipeline }, httpClient] = await Promise.all([import('./pipeline.ts'), transportNow()]);
      const endpoint = cloud.armEndpoint;
      const pipeline = createArmPipeline({ credential, endpoint, scope: `${cloud.audience}/.default`, userAgent });
      return { endpoint, pipeline, httpClient };
    })();
    return parts;
  };

  return {
    options,
    clock,
    credential,
    parts: partsNow,
    exchange: async (write, call) => {
      const [{ exchange }, made] = await Promise.all([import('./pipeline.ts'), partsNow()]);
      return exchange(write, () => call(made));
    },
    close: () => void transport?.then((opened) => opened.close()),
  };
}

/**
 * The one way to AWS for the ec2 provider: an action by its name, its input, and a signal. It loads an SDK when its first
 * action is called, waits for room in the request bucket, and never throws: what AWS refuses is a `Failure` with a kind.
 *
 * @example
 * const found = await calls.ec2('DescribeSubnets', { SubnetIds: ['subnet-1'] }, signal);
 * if (!found.ok) return found;
 * for (const subnet of found.value.Subnets ?? []) …
 */

import { failed, ok, type Result } from '../../../base/result.ts';
import { type AwsClientOptions, type AwsConnection, clientOptions } from '../../../platforms/aws/client-options.ts';
import { renewCredentials } from '../../../platforms/aws/credentials.ts';
import { atEndpoint } from '../../../platforms/aws/endpoint.ts';
import { awsProblem } from '../../../platforms/aws/errors.ts';
import { pricingRegionOf } from '../../../platforms/aws/region.ts';
import type { RequestPace } from '../../calls/request-pace.ts';
import type { Ec2Exchanges } from '../clients/ec2.ts';
import type { EksExchanges } from '../clients/eks.ts';
import type { IamExchanges } from '../clients/iam.ts';
import type { Exchange, OpenClient } from '../clients/io.ts';
import type { PricingExchanges } from '../clients/pricing.ts';
import type { SsmExchanges } from '../clients/ssm.ts';
import type { StsExchanges } from '../clients/sts.ts';
import type { Ec2Request } from './error-rules.ts';
import { codeIn, failureOf } from './errors.ts';

export type Call<Exchanges extends Record<keyof Exchanges, Exchange>> = <A extends keyof Exchanges & string>(
  action: A,
  input: Exchanges[A]['input'],
  signal: AbortSignal,
) => Promise<Result<Exchanges[A]['output']>>;

export interface Ec2Calls {
  ec2: Call<Ec2Exchanges>;
  ssm: Call<SsmExchanges>;
  iam: Call<IamExchanges>;
  /** The price list is served in few regions; the nearest is asked. */
  pricing: Call<PricingExchanges>;
  sts: Call<StsExchanges>;
  eks: Call<EksExchanges>;
  readonly region: string;
  /** Counts how often credentials were fetched anew: what was found out with older ones may be about another account. */
  readonly credentialsFetched: () => number;
  close(): void;
}

export interface Ec2CallsOptions {
  connection: AwsConnection;
  /** Its `AWS_ENDPOINT_URL` variables count where the connection names no endpoint. */
  env?: Readonly<Record<string, string | undefined>>;
  pace?: RequestPace;
  /** One line per answered call: for meters and tests. */
  onCall?(service: string, action: string): void;
}

/** What makes or ends machines: only there does it matter whether a lost request was done. All else is named by us, and may be repeated. */
const machineWrites: ReadonlySet<string> = new Set(['CreateFleet', 'TerminateInstances']);

/** EC2 says the second of keys that have ended, as of a clock that is wrong. */
const expired: ReadonlySet<string> = new Set(['ExpiredToken', 'ExpiredTokenException', 'RequestExpired']);

export function createEc2Calls(options: Ec2CallsOptions): Ec2Calls {
  const { connection, pace, onCall } = options;
  const closers: (() => void)[] = [];
  let fetched = 0;
  const service = <Exchanges extends Record<keyof Exchanges, Exchange>>(
    name: string,
    load: (settings: AwsClientOptions) => Promise<OpenClient<Exchanges>>,
    region = connection.region,
  ): Call<Exchanges> => {
    let opening: Promise<OpenClient<Exchanges>> | undefined;
    let openedWith = fetched;
    const open = async (): Promise<OpenClient<Exchanges>> => {
      const client = await load(clientOptions(atEndpoint({ ...connection, region }, name, options.env ?? {})));
      closers.push(() => client.close());
      return client;
    };
    const once: Call<Exchanges> = async (action, input, signal) => {
      const asked: Ec2Request = { service: name, action, region, write: machineWrites.has(action) };
      if (signal.aborted) return stopped(asked);
      // All of them, not only the one that was refused: half of the calls must not be made by who we were before.
      if (openedWith !== fetched) opening = undefined;
      openedWith = fetched;
      opening ??= open();
      const opened = opening;
      let client: OpenClient<Exchanges>;
      try {
        client = await opened;
        await client.prepare();
      } catch (error) {
        // Nothing was sent. A package or a credential that could not be had may be there the next time.
        if (opening === opened) opening = undefined;
        return { ok: false, error: failureOf({ ...awsProblem(error), sent: false }, { ...asked, write: false }) };
      }
      const room = await pace?.enter(action, tokenIn(input), signal);
      if (room?.ok === false) return room;
      if (signal.aborted) return stopped(asked);
      try {
        const answer = await client.senders[action](input, { abortSignal: signal });
        return ok(answer);
      } catch (error) {
        const failure = failureOf(awsProblem(error), asked);
        if (failure.kind === 'throttled') pace?.refused(action, failure.retryAfterSeconds);
        return { ok: false, error: failure };
      } finally {
        onCall?.(name, action);
      }
    };
    return async (action, input, signal) => {
      const before = fetched;
      const answer = await once(action, input, signal);
      if (answer.ok || !expired.has(codeIn(answer.error))) return answer;
      // A client keeps its credentials until they end by the clock. Of many calls that were refused together, the first renews.
      if (fetched === before) {
        fetched++;
        renewCredentials(connection);
      }
      // AWS has looked at nothing but the keys, so nothing was done: the same call again, once.
      return once(action, input, signal);
    };
  };
  return {
    region: connection.region,
    credentialsFetched: () => fetched,
    ec2: service('ec2', async (settings) => (await import('../clients/ec2.ts')).openEc2(settings)),
    ssm: service('ssm', async (settings) => (await import('../clients/ssm.ts')).openSsm(settings)),
    iam: service('iam', async (settings) => (await import('../clients/iam.ts')).openIam(settings)),
    sts: service('sts', async (settings) => (await import('../clients/sts.ts')).openSts(settings)),
    eks: service('eks', async (settings) => (await import('../clients/eks.ts')).openEks(settings)),
    pricing: service(
      'pricing',
      async (settings) => (await import('../clients/pricing.ts')).openPricing(settings),
      pricingRegionOf(connection.region),
    ),
    close: () => {
      for (const close of closers.splice(0)) close();
    },
  };
}

/** What is sent again for the same thing has the same token. */
const tokenIn = (input: object): string | undefined =>
  'ClientToken' in input && typeof input.ClientToken === 'string' ? input.ClientToken : undefined;

const stopped = ({ service, action }: Ec2Request): Result<never> =>
  failed('unavailable', `${service} ${action}: the call was stopped before it was sent`);

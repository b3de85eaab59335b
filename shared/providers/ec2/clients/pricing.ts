/** The part of @aws-sdk/client-pricing that is used; loaded on first use, so that a function pays only for what it calls. */
import { GetProductsCommand, PricingClient } from '@aws-sdk/client-pricing';
import type { AwsClientOptions } from '../../../platforms/aws/client-options.ts';
import type { ExchangesOf, OpenClient } from './io.ts';

export type PricingExchanges = ExchangesOf<typeof import('@aws-sdk/client-pricing'), 'GetProducts'>;

export function openPricing(options: AwsClientOptions): OpenClient<PricingExchanges> {
  const client = new PricingClient(options);
  return {
    senders: {
      GetProducts: (input, more) => client.send(new GetProductsCommand(input), more),
    },
    prepare: () => client.config.credentials(),
    close: () => client.destroy(),
  };
}

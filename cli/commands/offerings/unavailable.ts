/** `poolwright offerings unavailable`: what is passed over because the cloud refused it, and how to have it tried again. */

import { defined } from '../../../shared/base/defined.ts';
import type { Json } from '../../../shared/base/json.ts';
import { didYouMean } from '../../../shared/base/nearest.ts';
import { type HostAddress, type HostApi, withHostApi } from '../../reach/host-api.ts';
import { type Consent, confirmed } from '../../terminal/confirm.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type Format, type Listing, printListing } from '../../terminal/output/formats.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { printable } from '../../terminal/text-table.ts';
import { UserError } from '../../terminal/user-error.ts';

export interface ListOptions extends HostAddress {
  output: Format;
  provider?: string;
}

export interface ClearOptions extends HostAddress, Consent {
  provider?: string;
  type?: string;
  zone?: string;
  capacityType?: string;
}

export interface Unavailable {
  provider: string;
  instanceType: string;
  zone: string;
  capacityType: string;
  reason: string;
  until: string;
  quota: boolean;
  many: boolean;
}

const path = '/v1/offerings/unavailable';

export async function list(options: ListOptions, terminal: Terminal): Promise<number> {
  const query = options.provider === undefined ? {} : { provider: options.provider };
  const { items } = await withHostApi(options, (api) => api.ask<{ items: Unavailable[] }>('GET', path, { query }));
  await printListing(listingOf(items), options.output, terminal);
  return exitCodes.done;
}

export const listingOf = (rows: readonly Unavailable[]): Listing<Unavailable> => ({
  rows,
  columns: [
    { title: 'PROVIDER', text: ({ provider }) => provider },
    { title: 'TYPE', text: ({ instanceType }) => instanceType },
    { title: 'ZONE', text: ({ zone }) => zone },
    { title: 'CAPACITY', text: ({ capacityType }) => capacityType },
    { title: 'CAUSE', text: ({ quota }) => (quota ? 'quota' : 'out of capacity') },
    { title: 'UNTIL', text: ({ until }) => until },
    { title: 'AND OTHERS', text: ({ many }) => (many ? 'yes' : 'no'), wide: true },
    { title: 'THE CLOUD SAID', text: ({ reason }) => reason },
  ],
  name: ({ provider, instanceType, zone, capacityType }) =>
    `offering/${provider}/${instanceType}/${zone}/${capacityType}`,
  data: (row): Json => ({ ...row }),
  empty: 'No offerings are skipped.',
});

export async function clear(options: ClearOptions, terminal: Terminal): Promise<number> {
  const { provider, type, zone, capacityType } = options;
  const query = defined({ provider, instanceType: type, zone, capacityType });
  return await withHostApi(options, async (api) => {
    const ask = (more: { dryRun?: 'true' } = {}) =>
      api.ask<{ cleared: number }>('DELETE', path, { query: { ...query, ...more } });
    const { cleared: found } = await ask({ dryRun: 'true' });
    if (found === 0) {
      if (Object.keys(query).length > 0) throw await nothingFits(api, options);
      terminal.out('No offerings are skipped.\n');
      return exitCodes.done;
    }
    const change = `Clear ${marks(found)}${wanted(options)}, so that claims may use them again`;
    if (!(await confirmed(terminal, change, options))) return exitCodes.done;
    const { cleared } = await ask();
    terminal.out(`${marks(cleared)}${wanted(options)} ${cleared === 1 ? 'is' : 'are'} forgotten.\n`);
    terminal.err(
      "The next claim tries these offerings again; 'poolwright get claims' shows when each waiting claim retries.\n",
    );
    return exitCodes.done;
  });
}

/** Who names something wants that; a name that is wrong must not look like a success. */
async function nothingFits(api: HostApi, options: ClearOptions): Promise<UserError> {
  const { items } = await api.ask<{ items: Unavailable[] }>('GET', path);
  const near = [
    didYouMean(options.type ?? '', new Set(items.map(({ instanceType }) => instanceType))),
    didYouMean(options.zone ?? '', new Set(items.map(({ zone }) => zone))),
  ];
  const hint = near.find((one) => one !== '');
  const text = `No offerings${wanted(options)} are skipped`;
  return new UserError(hint ? text : `${text}.`, { code: 'NotPassedOver', ...defined({ hint }) });
}

const marks = (count: number): string => `${count} refusal${count === 1 ? '' : 's'}`;

/** ` of gpu-large in zone-a, spot, by provider ec2`. */
function wanted({ provider, type, zone, capacityType }: ClearOptions): string {
  const parts = [
    type === undefined ? '' : ` of ${type}`,
    zone === undefined ? '' : ` in ${zone}`,
    capacityType === undefined ? '' : `, ${capacityType},`,
    provider === undefined ? '' : ` by provider ${provider}`,
  ];
  return printable(parts.join(''));
}

/** Puts the provider together from its options: who we are, how we ask, what is shared by all claims. */
import { defined } from '../../base/defined.ts';
import { fingerprint } from '../../base/fingerprint.ts';
import { createCloudStackClient } from '../../platforms/cloudstack/client.ts';
import { Lookups } from '../calls/lookups.ts';
import { noReports } from '../cloud-reports.ts';
import type { ProviderContext } from '../context.ts';
import { credentialSource } from './access/source.ts';
import { callReports } from './call-reports.ts';
import { CloudStackCatalog } from './catalog/catalog.ts';
import { cloudStackFacts } from './facts.ts';
import { CloudStackNodeClasses } from './node-class/resolve.ts';
import { openInstances } from './open-instances.ts';
import type { CloudStackOptions } from './options.ts';
import { paceFor } from './pace.ts';
import type { CloudStackParts, CloudStackTuning } from './parts.ts';
import { CloudStackProvider } from './provider.ts';
import { Inventory } from './site/inventory.ts';
import { placeOf } from './site/place.ts';
import { scopeParams } from './site/scope.ts';

export function assembleCloudStack(
  options: CloudStackOptions,
  context: ProviderContext,
  tuning: CloudStackTuning = {},
): CloudStackProvider {
  const { clock, env, log } = context;
  const { requestsPerSecond, cacheSeconds, verifySSL, certificateAuthority } = options;
  const reports = context.reports ?? noReports;
  const report = callReports(reports);
  const client = createCloudStackClient({
    credentials: credentialSource(options, context),
    clock,
    env,
    verifySSL,
    paceOf: (account) => paceFor(account, { requestsPerSecond, patienceMs: tuning.patienceMs }, context),
    onCall: (call) => {
      tuning.onCall?.(call.command);
      report(call);
    },
    onSkew: (skewMs) => log.write('cloudstack.clock-skew', { seconds: Math.round(skewMs / 1000) }),
    ...defined({ certificateAuthority, pageSize: tuning.pageSize }),
  });
  const stateScope = `cloudstack/${whose(options, context)}`;
  const lookups = new Lookups(context, {
    cloud: 'CloudStack',
    scope: stateScope,
    onAnswer: (_, how) => reports.lookedUp(how === 'hit'),
  });
  const scope: CloudStackParts['scope'] = (signal) => scopeParams({ options, client, lookups }, signal);
  const inventory = new Inventory({ client, lookups, cacheSeconds, scope });
  const catalog = new CloudStackCatalog({
    prices: options.priceTable,
    vmMemoryOverheadPercent: options.vmMemoryOverheadPercent,
  });
  const classes = new CloudStackNodeClasses({
    inventory,
    userDataLength: options.userDataLength,
    typesOf: (resolved) => catalog.namesOf(resolved),
  });
  const parts: CloudStackParts = {
    options,
    context,
    client,
    classes,
    catalog,
    inventory,
    scope,
    place: (signal) => placeOf({ client, lookups, options }, signal),
    stateScope,
    tuning,
  };
  const instances = openInstances(parts);
  return new CloudStackProvider({
    facts: cloudStackFacts(options),
    parts,
    instances,
    close: () => {
      instances.close?.();
      lookups.close();
      client.close();
    },
  });
}

/** By where the credentials are, not by what they are: a rotated key sees what the one before saw. */
function whose(
  { apiUrl, credentials, project, domain, account }: CloudStackOptions,
  { cluster, env }: Pick<ProviderContext, 'cluster' | 'env'>,
): string {
  const place =
    credentials.in === 'secret'
      ? { ...credentials, cluster }
      : 'variable' in credentials.apiKey
        ? fingerprint(env[credentials.apiKey.variable])
        : credentials.apiKey;
  return fingerprint({ apiUrl, place, project, domain, account });
}

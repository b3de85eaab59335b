/** Puts the provider together from its options. */
import type { ProviderContext } from '../context.ts';
import { remoteFacts } from './facts.ts';
import { buildMachine } from './launch/build.ts';
import { Launch } from './launch/launch.ts';
import { Ending } from './machines/ending.ts';
import { Machines } from './machines/machines.ts';
import { MadeStore } from './machines/made.ts';
import { joinSecret } from './manifest-parts.ts';
import { MachineCatalog } from './node-class/catalog.ts';
import { zonesOf } from './node-class/parse.ts';
import { MachineNodeClasses } from './node-class/resolve.ts';
import type { RemoteOptions } from './options.ts';
import { RemoteProvider } from './provider.ts';
import { type RemoteTuning, Servers } from './servers/servers.ts';

const usualPage = 1000;

export function assembleRemote(
  options: RemoteOptions,
  context: ProviderContext,
  tuning: RemoteTuning = {},
): RemoteProvider {
  const { clock, state } = context;
  const facts = remoteFacts(options);
  const servers = new Servers(options, context, tuning);
  const machines = new Machines(servers);
  const made = new MadeStore(state);
  const catalog = new MachineCatalog(options.vmMemoryOverheadPercent);
  const classes = new MachineNodeClasses(servers, catalog, options);
  const { listLagSeconds } = facts.traits;
  const launch = new Launch({
    servers,
    machines,
    made,
    clock,
    listLagSeconds,
    hasOtherServers: ({ nodeClass }) => {
      const spec = classes.parse(nodeClass);
      return spec.ok && new Set(zonesOf(spec.value).map(({ server }) => server)).size > 1;
    },
    build: (request, name, signal) =>
      buildMachine({ options, secret: joinSecret, context, classes, catalog }, request, name, signal),
  });
  const ending = new Ending({ servers, machines, made, clock });
  const pageSize = tuning.pageSize ?? usualPage;
  return new RemoteProvider({ facts, servers, machines, made, launch, ending, classes, clock, pageSize });
}

/** A VM of somebody else in the same account. */
import { defined } from '../../shared/base/defined.ts';
import type { Parts } from './calls/command.ts';
import { deployVirtualMachine } from './calls/deploy.ts';
import { Arguments } from './wire/fields.ts';

export function launchForeign(parts: Parts, name: string, tags: Readonly<Record<string, string>>): string {
  const { site, world } = parts;
  const caller = [...site.accounts.values()].find(({ role }) => role === 'User');
  const [zone] = site.zones.values();
  const offering = [...site.offerings.values()].find(({ custom, state }) => custom === undefined && state === 'Active');
  const template = [...site.templates.values()].find((one) => zone !== undefined && one.zones.get(zone.id) === true);
  const network = [...site.networks.values()].find((one) => one.zone === zone && one.canUseForDeploy);
  if (caller === undefined || zone === undefined) throw new Error('there is nothing to launch with');
  const fields = defined({
    name,
    zoneid: zone.id,
    serviceofferingid: offering?.id,
    templateid: template?.id,
    networkids: network?.id,
  });
  const given = new Arguments('deployVirtualMachine', fields as Record<string, string>);
  const outcome = deployVirtualMachine.run(
    { given, caller, admin: false, faults: { machine: [], lagSeconds: 0 } },
    parts,
  );
  const id = 'id' in outcome ? (outcome.id ?? '') : '';
  Object.assign(world.find(id)?.tags ?? {}, tags);
  return id;
}

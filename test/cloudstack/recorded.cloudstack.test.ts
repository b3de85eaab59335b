/** The stand-in's answers against those that others recorded: the same fields hold the same kinds of values. */
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../sim/cloudstack/api.ts';
import { commands } from '../../sim/cloudstack/calls/commands.ts';
import { publicAddressLists } from '../../sim/cloudstack/calls/public-addresses.ts';
import { type Recorded, recordedInGo, recordedInLibcloud, shapeOf } from './recorded.ts';
import { tour } from './tour.ts';
import { partPath } from './use-parts.ts';

type Shape = Map<string, Set<string>>;

const goModule = partPath('goModule');
const python = partPath('python');

/** What a CloudStack shows and the stand-in leaves out: nothing of it tells a provisioner anything. */
const leftOut: readonly RegExp[] = [
  // Measurements, and what a guest agent reports.
  /\.(cpuused|diskio\w+|diskkbs\w+|networkkbs\w+|memory(kbs|intfreekbs|targetkbs)|receivedbytes|sentbytes)$/,
  // Totals of accounts, domains and projects: listResourceLimits has the limits.
  /^(account|domain|project)\[\]\.\w+(available|limit|total|running)$/,
  /^account\[\]\.(accountdetails|groups|user\[\]\.\w+)$|^domain\[\]\.parentdomainname$|^project\[\]\.account$|^user\[\]\.(roleid|timezone)$/,
  // Backups, ISOs, and the rules of security groups.
  /^securitygroup\[\]\.ingressrule\[\]|\.(backupoffering\w+|iso\w+|pooltype|hasannotations|password|keypair)$/,
  // How networks, hosts and storage are wired.
  /^host\[\]\./,
  /^network\[\]\.(broadcasturi|details|dns2|endip|startip|isdefault|isshared|redundantrouter|securitygroupenabled|service\[\].*|strechedl2subnet|subdomainaccess|vlan)$/,
  /\.nic\[\]\.(broadcasturi|isolationuri)$/,
  /volume(\[\])?\.(storage|serviceoffering\w+)$/,
  /^zone\[\]\.zonetoken$|^serviceoffering\[\]\.(domain|domainid|tags)$|^api\[\]\.(params\[\]\.related|related|response\[\].*)$/,
];

/** From before CloudStack had UUIDs and unlimited limits; and a truth that was once a text. */
const ofOldTimes = (path: string, kind: string): boolean =>
  (kind === 'number' && /(^|\.)(\w*id|related|\w+available|\w+limit)$/.test(path)) ||
  (kind === 'string' && path === 'success');

/** Commands whose jobs the stand-in has; of others only the frame can be compared. */
const results = /^jobresult\.(virtualmachine|volume|affinitygroup|success)/;

function shapes(exchanges: readonly Exchange[]): Map<string, Shape> {
  const found = new Map<string, Shape>();
  for (const { command, status, body } of exchanges) {
    const name = status === 200 ? command : 'errors';
    found.set(name, shapeOf(body, '', found.get(name)));
  }
  return found;
}

function differences({ source, command, body }: Recorded, ours: ReadonlyMap<string, Shape>): string[] {
  const isJob = 'jobstatus' in body;
  const name = 'errorcode' in body ? 'errors' : isJob ? 'queryAsyncJobResult' : command;
  const known = ours.get(name) ?? new Map<string, Set<string>>();
  return [...shapeOf(body)].flatMap(([path, kinds]) => {
    if (isJob && path.startsWith('jobresult.') && !results.test(path)) return [];
    const own = known.get(path);
    if (own === undefined) {
      // An accepted job of old repeated the id of what it was about.
      const knownGap = leftOut.some((pattern) => pattern.test(path)) || (path === 'id' && 'jobid' in body);
      return knownGap ? [] : [`${source}: the stand-in has no ${path}`];
    }
    const wrong = [...kinds].filter((kind) => !own.has(kind) && !ofOldTimes(path, kind));
    return wrong.map((kind) => `${source}: ${path} is a ${kind}, and here a ${[...own].join(' or ')}`);
  });
}

/** Of public addresses the stand-in has none. */
const alwaysEmpty = new Set(publicAddressLists.map(({ name }) => name));

const ofOurs = (all: readonly Recorded[]): Recorded[] =>
  all.filter(({ command }) => commands.has(command) && !alwaysEmpty.has(command));

describe.skipIf(goModule === undefined)('answers recorded for cloudstack-go', () => {
  it('have the shape of those of the stand-in', async () => {
    const recorded = ofOurs(recordedInGo(goModule ?? ''));
    expect(recorded.length).toBeGreaterThanOrEqual(17);
    const ours = shapes(await tour());
    expect(recorded.flatMap((one) => differences(one, ours))).toEqual([]);
  });
});

describe.skipIf(python === undefined)('answers recorded for apache-libcloud', () => {
  it('have the shape of those of the stand-in', async () => {
    const recorded = ofOurs(recordedInLibcloud(python ?? ''));
    expect(recorded.length).toBeGreaterThanOrEqual(90);
    const ours = shapes(await tour());
    expect(recorded.flatMap((one) => differences(one, ours))).toEqual([]);
  });

  it('of another shape are found', async () => {
    const ours = shapes(await tour());
    const wrong = { source: 'here', command: 'listZones', body: { count: 1, zone: [{ id: 'a', nme: 'b', name: 7 }] } };
    expect(differences(wrong, ours)).toEqual([
      'here: the stand-in has no zone[].nme',
      'here: zone[].name is a number, and here a string',
    ]);
  });
});

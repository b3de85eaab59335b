/** This machine: the Node that runs the command, and whether command and host are of one release. */
import type { Check } from '../../../shared/base/checks.ts';
import { version } from '../../version.ts';
import type { Patient } from './patient.ts';

/** An older Node does not get as far as this. */
export const nodeChecks = async (): Promise<Check[]> => [
  { name: 'node', state: 'pass', message: `Node ${process.versions.node}` },
];

export async function versionChecks({ host }: Patient): Promise<Check[]> {
  const name = 'versions';
  if ('problem' in host) return [{ name, state: 'pass', message: `this command is ${version}` }];
  const { version: theirs } = await host.api.ask<{ version: string }>('GET', '/healthz');
  if (theirs === version) return [{ name, state: 'pass', message: `command and host are both ${version}` }];
  return [
    {
      name,
      state: 'warn',
      message: `this command is ${version} and the host is ${theirs}; they may not understand each other`,
      code: 'VersionsDiffer',
      repair: `npx poolwright@${theirs} doctor, or update the host`,
    },
  ];
}

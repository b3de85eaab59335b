/** Which looks there are, in the order in which they are told. */
import type { Check } from '../../../shared/base/checks.ts';
import { clusterClock, hostClock } from './clocks.ts';
import { definitionChecks, reachChecks, rightChecks, servedChecks } from './cluster-looks.ts';
import { hostChecks, hostFindings } from './host-looks.ts';
import type { Look } from './looks.ts';
import { nodeChecks, versionChecks } from './machine-looks.ts';
import type { Patient } from './patient.ts';
import { instanceChecks, providerChecks } from './provider-looks.ts';
import { webhookChecks } from './webhook-looks.ts';

export function looksAt(patient: Patient): Look[] {
  const group = (title: string, looks: Record<string, (patient: Patient) => Promise<Check[]>>): Look[] =>
    Object.entries(looks).map(([name, look]) => ({ group: title, name, look: () => look(patient) }));
  return [
    ...group('This machine', {
      node: nodeChecks,
      versions: versionChecks,
      'clock of the host': hostClock,
      'clock of the API server': clusterClock,
    }),
    ...group('The cluster of the kubeconfig', {
      'API server': reachChecks,
      'your rights': rightChecks,
      definitions: definitionChecks,
      webhook: webhookChecks,
      'served by the host': servedChecks,
    }),
    ...group('The host', { host: hostChecks, 'checks of the host': hostFindings }),
    ...group('Providers', { providers: providerChecks, instances: instanceChecks }),
  ];
}

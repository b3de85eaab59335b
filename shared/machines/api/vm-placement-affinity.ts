/** Which machines want to be together, and which apart. */
import { z } from 'zod';
import { text } from '../../kube/crds/schema-parts.ts';
import { choice, count, flag, list, selector, texts, upTo } from './parts.ts';

const enabled = flag('Whether the rule is on.');
const scope = choice(['strict', 'preferred'], 'Whether it must hold, or should.').optional();

const term = z.object({
  topologyKey: upTo(253, 'What counts as the same place, such as host or cluster.'),
  labelSelector: selector('Machines that the rule is about.').optional(),
  namespaceSelector: selector('Namespaces of those machines, by label.').optional(),
  namespaces: texts('Namespaces of those machines, by name.', 20).optional(),
  matchExpressions: list(
    z.object({
      key: upTo(253, 'Label that the expression is about.'),
      operator: choice(['In', 'NotIn', 'Exists', 'DoesNotExist'], 'How it is compared.'),
      values: texts('Values to compare with.', 50).optional(),
    }),
    'Further expressions; all of them must hold.',
    20,
  ).optional(),
});

const machines = (description: string) =>
  z
    .object({
      requiredDuringScheduling: list(term, 'Rules that must hold.', 20),
      preferredDuringScheduling: list(
        z.object({ weight: count('How much it counts.', 1, 100), vmAffinityTerm: term.describe('The rule.') }),
        'Rules that should hold.',
        20,
      ),
    })
    .partial()
    .describe(description);

const application = (description: string) =>
  z
    .object({ enabled, scope, applicationLabel: text('Label with the name of the application.').default('app') })
    .describe(description);

const together = <K extends string>(key: K, what: string, most: number) =>
  z
    .object({ enabled, scope, [key]: texts(`Preferred ${what}.`, most).optional() })
    .describe(`Machines together on the same ${what}.`);

const apart = <K extends string>(key: K, what: string, most: number) =>
  z
    .object({ enabled, scope, [key]: count(`Most machines for each of the ${what}.`, 1, most).optional() })
    .describe(`Machines apart on different ${what}.`);

export const affinitySchema = z
  .object({
    vmAffinity: machines('Machines together with machines.'),
    hostAffinity: together('preferredHosts', 'hosts', 50),
    clusterAffinity: together('preferredClusters', 'clusters', 20),
    datastoreAffinity: together('preferredDatastores', 'datastores', 50),
    zoneAffinity: together('preferredZones', 'zones', 10),
    applicationAffinity: application('Machines of one application together.'),
  })
  .partial()
  .describe('Which machines want to be together.');

export const antiAffinitySchema = z
  .object({
    vmAntiAffinity: machines('Machines apart from machines.'),
    hostAntiAffinity: apart('maxVMsPerHost', 'hosts', 1000),
    clusterAntiAffinity: apart('maxVMsPerCluster', 'clusters', 10_000),
    datastoreAntiAffinity: apart('maxVMsPerDatastore', 'datastores', 10_000),
    zoneAntiAffinity: apart('maxVMsPerZone', 'zones', 10_000),
    applicationAntiAffinity: application('Machines of one application apart.'),
  })
  .partial()
  .describe('Which machines want to be apart.');

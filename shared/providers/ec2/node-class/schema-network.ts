/** Network interfaces and processor settings of the instances, as a class may give them. */
import { z } from 'zod';
import { extended } from '../../../nodes/api/parts.ts';

const mostInterfaces = 150;

const index = (description: string) => extended(z.int().min(0), { description, format: 'int32' });

const networkInterface = z.strictObject({
  networkCardIndex: index('Network card that the interface is attached to; 0 is the first.'),
  deviceIndex: index('Position of the interface on its network card.'),
  interfaceType: z
    .enum(['interface', 'efa-only'])
    .describe('interface has IP addresses; efa-only carries only traffic of the Elastic Fabric Adapter.'),
});
export type NetworkInterface = z.infer<typeof networkInterface>;

type Rule = { rule: string; message: string; holds: (interfaces: readonly NetworkInterface[]) => boolean };

const isEfa = ({ interfaceType }: NetworkInterface): boolean => interfaceType === 'efa-only';
const sameCard = (one: NetworkInterface, other: NetworkInterface): boolean =>
  one.networkCardIndex === other.networkCardIndex;

/** Each rule twice: for the API server, and for classes that a definition without the rule let through. */
const interfaceRules: readonly Rule[] = [
  {
    rule: "self.size() == 0 || self.exists(x, x.networkCardIndex == 0 && x.deviceIndex == 0 && x.interfaceType == 'interface')",
    message: 'one interface must be of type interface with networkCardIndex 0 and deviceIndex 0',
    holds: (all) =>
      all.length === 0 || all.some((one) => one.networkCardIndex === 0 && one.deviceIndex === 0 && !isEfa(one)),
  },
  {
    rule: 'self.all(x, self.filter(y, x.networkCardIndex == y.networkCardIndex && x.deviceIndex == y.deviceIndex).size() == 1)',
    message: 'two interfaces have the same networkCardIndex and deviceIndex',
    holds: (all) =>
      all.every((one) => all.filter((y) => sameCard(one, y) && one.deviceIndex === y.deviceIndex).length === 1),
  },
  {
    rule: "self.all(x, x.interfaceType != 'efa-only' || self.filter(y, x.networkCardIndex == y.networkCardIndex && y.interfaceType == 'efa-only').size() == 1)",
    message: 'a network card has at most one efa-only interface',
    holds: (all) => all.every((one) => !isEfa(one) || all.filter((y) => sameCard(one, y) && isEfa(y)).length === 1),
  },
];

export const networkInterfacesField = extended(
  z
    .array(networkInterface)
    .max(mostInterfaces)
    .superRefine((interfaces, context) => {
      for (const { holds, message } of interfaceRules) {
        if (!holds(interfaces)) context.addIssue({ code: 'custom', message });
      }
    }),
  {
    description: 'Network interfaces that an instance starts with. Default: one.',
    'x-kubernetes-validations': interfaceRules.map(({ rule, message }) => ({ rule, message })),
  },
);

const seconds = (least: number, most: number, description: string) =>
  extended(z.int().min(least).max(most), { description, format: 'int32' }).optional();

const oneTimeout = 'set at least one of tcpEstablishedTimeout, udpStreamTimeout and udpTimeout';

export const connectionTrackingField = extended(
  z
    .strictObject({
      tcpEstablishedTimeout: seconds(60, 432_000, 'Seconds until EC2 forgets an idle established TCP connection.'),
      udpStreamTimeout: seconds(60, 180, 'Seconds until EC2 forgets an idle UDP flow with several requests.'),
      udpTimeout: seconds(30, 60, 'Seconds until EC2 forgets an idle UDP flow with one request.'),
    })
    .refine((given) => Object.values(given).some((one) => one !== undefined), oneTimeout),
  {
    description:
      'How long EC2 tracks idle connections of the interfaces that have addresses. Only Nitro instances can do this.',
    'x-kubernetes-validations': [
      {
        rule: 'has(self.tcpEstablishedTimeout) || has(self.udpStreamTimeout) || has(self.udpTimeout)',
        message: oneTimeout,
      },
    ],
  },
);

export const cpuOptionsField = z
  .strictObject({
    nestedVirtualization: z
      .enum(['enabled', 'disabled'])
      .describe('Whether instances can run virtual machines. With enabled, only types that support it are used.')
      .optional(),
  })
  .describe('Processor settings of the instances.');

/** How many interfaces have no addresses, and so none for pods. */
export const efaOnlyCount = (interfaces: readonly NetworkInterface[] | undefined): number =>
  (interfaces ?? []).filter(isEfa).length;

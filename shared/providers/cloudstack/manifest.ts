/** VMs of Apache CloudStack by CloudStackNodeClass. */
import type * as Fields from '../../base/fields.ts';
import type { ProviderManifest } from '../manifest.ts';
import { cloudStackNodeClasses } from './kinds.ts';

/** Where machines are made and what they join. Whether CloudStack has it is for the provider to say. */
const placeFields = ({ text, httpUrl, optional }: typeof Fields) => ({
  apiUrl: optional(httpUrl),
  project: optional(text),
  domain: optional(text),
  account: optional(text),
  clusterName: optional(text),
  clusterEndpoint: optional(httpUrl),
  clusterCA: optional(text),
  kubernetesVersion: optional(text),
});

export const manifest = {
  type: 'cloudstack',
  title: 'CloudStack: VMs of a private cloud',
  nodeClasses: cloudStackNodeClasses,
  options: (fields) => {
    const { text, path, flag, count, number, mapOf, object, section, duration, optional, gte, lt, lte, positive } =
      fields;
    const amount = number.check(gte(0), lte(1_000_000));
    const price = optional(amount);
    const rates = { perVcpu: price, perGib: price, perGpu: price };
    return {
      ...placeFields(fields),
      credentials: section({
        apiKeyFile: optional(path),
        apiKeyVariable: optional(text),
        secretKeyFile: optional(path),
        secretKeyVariable: optional(text),
        namespace: optional(text),
        secretName: optional(text),
      }),
      verifySSL: optional(flag),
      certificateAuthority: optional(path),
      requestsPerSecond: optional(number.check(positive(), lte(10_000))),
      cacheSeconds: optional(duration({ most: 86_400 })),
      vmMemoryOverheadPercent: optional(number.check(gte(0), lt(1))),
      customIds: optional(flag),
      expunge: optional(flag),
      userDataLength: optional(count(1024, 1_048_576)),
      affinityGroupMembers: optional(count(1, 100_000)),
      priceTable: optional(
        object({
          offerings: optional(mapOf(text, amount)),
          ...rates,
          zones: optional(mapOf(text, object(rates))),
        }),
      ),
    };
  },
  perCluster: { section: 'cloudstack', fields: placeFields },
  /** The Secret that the provider may read, where neither variables nor files have the credentials. */
  secret: { namespace: 'karpenter', name: 'cloudstack-credentials', why: 'reads the credentials of CloudStack' },
  example: { apiUrl: 'http://127.0.0.1:1/client/api' },
  texts: () => import('./texts.ts'),
  definitions: () => import('./node-class/definition.ts'),
  admission: () => import('./node-class/admission.ts'),
  flags: {
    apiUrl: {
      flag: '--api-url <url>',
      text: 'the URL of the API of CloudStack; it ends in /client/api',
      ask: 'URL of the API of CloudStack (it ends in /client/api)',
    },
    zone: { flag: '--zone <name>', text: 'the zone to create instances in', ask: 'Zone to create instances in' },
    network: { flag: '--network <name>', text: 'the network of the instances', ask: 'Network of the instances' },
    template: { flag: '--template <name>', text: 'the template of the instances', ask: 'Template of the instances' },
  },
  initExample:
    'poolwright init --yes --provider cloudstack --context production --api-url https://cloud.example/client/api --zone zone-01 --network k8s --template ubuntu-22.04-k8s --pool workers',
  wizard: () => import('./wizard.ts'),
  load: () => import('./module.ts'),
} as const satisfies ProviderManifest;

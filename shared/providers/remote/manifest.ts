/** Virtual machines behind provider servers: `poolwright provider`, or a provider of VirtRigaud. */
import type { ProviderManifest } from '../manifest.ts';
import { remoteNodeClasses } from './kinds.ts';
import { joinSecret } from './manifest-parts.ts';

export const manifest = {
  type: 'remote',
  title: 'provider servers: virtual machines of hypervisors, over gRPC',
  nodeClasses: remoteNodeClasses,
  options: ({ text, path, flag, number, mapOf, object, section, duration, httpUrl, optional, gte, lt, positive }) => {
    const amount = optional(number.check(positive()));
    const server = object({
      endpoint: text,
      type: optional(text),
      plaintext: optional(flag),
      tls: optional(
        object({
          directory: optional(path),
          ca: optional(text),
          cert: optional(text),
          key: optional(text),
          serverName: optional(text),
        }),
      ),
      tokenFile: optional(path),
      rate: section({ qps: amount, burst: amount }),
      breaker: section({
        failures: amount,
        openSeconds: optional(duration({ least: 1, most: 3600 })),
        testCalls: amount,
      }),
      timeouts: optional(mapOf(text, duration({ least: 0.001, most: 7200 }))),
    });
    return {
      servers: optional(mapOf(text, server)),
      clusterName: optional(text),
      clusterEndpoint: optional(httpUrl),
      clusterCA: optional(text),
      kubernetesVersion: optional(text),
      capabilitySeconds: optional(duration({ most: 86_400 })),
      vmMemoryOverheadPercent: optional(number.check(gte(0), lt(1))),
      createsByName: optional(flag),
    };
  },
  required: { servers: 'must name at least one provider server, and its endpoint' },
  secret: joinSecret,
  example: { servers: { lab: { endpoint: '127.0.0.1:1', plaintext: true } } },
  texts: () => import('./texts.ts'),
  definitions: () => import('./node-class/definition.ts'),
  admission: () => import('./node-class/admission.ts'),
  flags: {
    endpoint: {
      flag: '--endpoint <address>',
      text: 'host and port of the provider server',
      ask: 'Host and port of the provider server',
    },
    tlsDir: {
      flag: '--tls-dir <directory>',
      text: 'directory with tls.crt, tls.key and ca.crt for the provider server',
      ask: 'Directory with tls.crt, tls.key and ca.crt for it',
    },
    image: { flag: '--image <name>', text: 'template of the machines', ask: 'Template of the machines' },
  },
  initExample:
    'poolwright init --yes --provider remote --context production --endpoint provider.virt.svc:9443 --tls-dir /etc/poolwright/tls --image ubuntu-24.04-k8s --pool workers',
  wizard: () => import('./wizard.ts'),
  load: () => import('./module.ts'),
} as const satisfies ProviderManifest;

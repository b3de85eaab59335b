/** Amazon Linux 2023: nodeadm reads NodeConfigs, one after the other; the last word on what makes a node join is ours. */

import { isMap, parseDocument, stringify } from 'yaml';
import { defined } from '../../../../base/defined.ts';
import { isObject } from '../../../../base/json.ts';
import { failed, ok, type Result } from '../../../../base/result.ts';
import { kubeletLabels, sortedTaints } from '../../../../bootstrap/registration.ts';
import { dnsAddresses, type UserDataInput } from './input.ts';
import { joinParts, type MimePart, mimeProblem, nodeConfig, partsOf, scriptOrSettings } from './mime.ts';

export function al2023UserData(input: UserDataInput): Result<string> {
  const { userData = '' } = input;
  const parts = partsOf(userData, guessType);
  const problem = mimeProblem(userData) ?? parts.map(nodeConfigProblem).find((one) => one !== undefined);
  if (problem !== undefined) return failed('invalid', `spec.userData: ${problem}`);
  const own = { contentType: nodeConfig, body: stringify(nodeConfigOf(input), { lineWidth: 0 }) };
  return ok(joinParts([...parts, own]));
}

/** People write a script, settings of cloud-init, or a NodeConfig by itself, as YAML or JSON. */
const guessType = (text: string): string =>
  !text.trimStart().startsWith('#!') &&
  /^[\s{"']*(apiVersion["']?\s*:\s*["']?node\.eks\.aws\/|kind["']?\s*:\s*["']?NodeConfig\b)/m.test(text)
    ? nodeConfig
    : scriptOrSettings(text);

/** Nodeadm gives up on a NodeConfig that it can't read, and the node never joins. Nothing of it is repeated here. */
function nodeConfigProblem({ contentType, body }: MimePart): string | undefined {
  if (!contentType.startsWith(nodeConfig)) return undefined;
  const read = parseDocument(body);
  const [error] = read.errors;
  if (error !== undefined) {
    const line = error.linePos?.[0].line ?? 1;
    return `line ${line} of the NodeConfig is not YAML (${error.code.toLowerCase().replaceAll('_', ' ')})`;
  }
  const { apiVersion, kind } = (isMap(read.contents) ? read.toJS() : {}) as { apiVersion?: unknown; kind?: unknown };
  if (kind === 'NodeConfig' && typeof apiVersion === 'string' && apiVersion.startsWith('node.eks.aws/'))
    return undefined;
  return 'a part for nodeadm must be a NodeConfig (apiVersion: node.eks.aws/v1alpha1, kind: NodeConfig)';
}

function nodeConfigOf(input: UserDataInput) {
  const { cluster, instanceStore } = input;
  const labels = kubeletLabels(input.labels).map(([key, value]) => `${key}=${value}`);
  const config = kubeletConfig(input);
  return {
    apiVersion: 'node.eks.aws/v1alpha1',
    kind: 'NodeConfig',
    spec: {
      cluster: {
        name: cluster.name,
        apiServerEndpoint: cluster.endpoint,
        certificateAuthority: cluster.certificateAuthority,
        ...defined({ cidr: cluster.serviceCidr }),
      },
      kubelet: {
        ...(Object.keys(config).length === 0 ? {} : { config }),
        ...(labels.length === 0 ? {} : { flags: [`--node-labels=${labels.join(',')}`] }),
      },
      ...(instanceStore === 'RAID0' ? { instance: { localStorage: { strategy: 'RAID0' } } } : {}),
    },
  };
}

/** The kubelet's own configuration has the names that a class has. */
function kubeletConfig(input: UserDataInput): Record<string, unknown> {
  const { kubelet, maxPods, taints } = input;
  const dns = dnsAddresses(input);
  const config = {
    ...kubelet,
    ...(dns.length === 0 ? {} : { clusterDNS: dns }),
    ...defined({ maxPods }),
    ...(taints.length === 0
      ? {}
      : {
          registerWithTaints: sortedTaints(taints).map(({ key, value, effect }) => ({
            effect,
            key,
            ...(value ? { value } : {}),
          })),
        }),
  };
  return sorted(config);
}

/** Fields in one order, so that the same settings give the same bytes. */
function sorted(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]): [string, unknown] => [key, isObject(field) ? sorted(field) : field]);
  return Object.fromEntries(entries);
}

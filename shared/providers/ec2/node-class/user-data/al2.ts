/** Amazon Linux 2: a shell script calls the bootstrap of the image, after whatever scripts the user has. */
import { failed, ok, type Result } from '../../../../base/result.ts';
import type { UserDataInput } from './input.ts';
import { dnsAddresses } from './input.ts';
import { kubeletFlags } from './kubelet-flags.ts';
import { joinParts, mimeProblem, partsOf, scriptOrSettings, shellScript } from './mime.ts';

export function al2UserData(input: UserDataInput): Result<string> {
  const { userData = '' } = input;
  const problem = mimeProblem(userData);
  if (problem !== undefined) return failed('invalid', `spec.userData: ${problem}`);
  const own = { contentType: shellScript, body: bootstrapScript(input) };
  return ok(joinParts([...partsOf(userData, scriptOrSettings), own]));
}

function bootstrapScript(input: UserDataInput): string {
  const { cluster, kubelet, maxPods } = input;
  const [dns] = dnsAddresses(input);
  const flags = kubeletFlags(input);
  const pods = maxPods ?? kubelet.maxPods;
  const words = [
    `/etc/eks/bootstrap.sh ${quoted(cluster.name)}`,
    `--apiserver-endpoint ${quoted(cluster.endpoint)}`,
    `--b64-cluster-ca ${quoted(cluster.certificateAuthority)}`,
    ...(cluster.ipFamily === 'ipv6' ? ['--ip-family ipv6'] : []),
    ...(dns === undefined ? [] : [`--dns-cluster-ip ${quoted(dns)}`]),
    // Else the script would set the number that it knows for the type.
    ...(pods === undefined ? [] : ['--use-max-pods false']),
    ...(input.instanceStore === 'RAID0' ? ['--local-disks raid0'] : []),
    ...(flags.length === 0 ? [] : [`--kubelet-extra-args ${quoted(flags.join(' '))}`]),
  ];
  const log = 'exec > >(tee /var/log/user-data.log|logger -t user-data -s 2>/dev/console) 2>&1';
  return ['#!/bin/bash -xe', log, words.join(' \\\n'), ''].join('\n');
}

/** One word for a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Windows: a PowerShell script calls the bootstrap of the image, after the user's own lines. */
import { dnsAddresses, type UserDataInput } from './input.ts';
import { kubeletFlags } from './kubelet-flags.ts';

export function windowsUserData(input: UserDataInput): string {
  const { cluster, userData = '' } = input;
  const [dns] = dnsAddresses(input);
  const flags = kubeletFlags(input);
  const words = [
    '& $EKSBootstrapScriptFile',
    `-EKSClusterName ${quoted(cluster.name)}`,
    `-APIServerEndpoint ${quoted(cluster.endpoint)}`,
    `-Base64ClusterCA ${quoted(cluster.certificateAuthority)}`,
    ...(flags.length === 0 ? [] : [`-KubeletExtraArgs ${quoted(flags.join(' '))}`]),
    ...(dns === undefined ? [] : [`-DNSClusterIP ${quoted(dns)}`]),
  ];
  const own = withoutTags(userData).replaceAll('\r\n', '\n').trimEnd();
  return [
    '<powershell>',
    ...(own === '' ? [] : [own]),
    '[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"',
    words.join(' '),
    '</powershell>',
    '',
  ].join('\n');
}

/** There is one script: what the user wrapped for it is unwrapped. */
const withoutTags = (text: string): string => text.replaceAll(/<\/?powershell>[ \t]*\r?\n?/gi, '');

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

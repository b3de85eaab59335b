/** How a cluster is reached: what every way in (kubeconfig, in-cluster, URL, a cloud) comes down to. */
import { defined } from '../../base/defined.ts';
import type { Result } from '../../base/result.ts';

export interface ClusterAccess {
  url: string;
  /** PEM texts as they were at the start. */
  ca?: string | undefined;
  cert?: string | undefined;
  key?: string | undefined;
  /** Where those texts came from, if somebody may renew them there. */
  files?: AccessFiles | undefined;
  token?: string | undefined;
  /** Read again every minute, and at once when the server refuses the token. */
  tokenFile?: string | undefined;
  /** The name on the server's certificate, where it is not the one in the URL. */
  tlsServerName?: string | undefined;
  skipTlsVerify?: boolean | undefined;
  proxyUrl?: string | undefined;
  impersonate?: Impersonation | undefined;
  exec?: ExecPlugin | undefined;
  /** Instead of a command: somebody within this process. */
  issue?: IssueToken | undefined;
}

/** Hands out tokens that end. `renew`: the last one was refused, so that one out of a cache would not do. */
export type IssueToken = (options: {
  renew: boolean;
  signal: AbortSignal;
}) => Promise<Result<{ token: string; expiresAt?: number }>>;

/** A cluster that its cloud knows how to reach. */
export interface CloudCluster {
  /** Tokens for its API server. */
  issue: IssueToken;
  /** Address, authority and credentials, as the cloud has them now. */
  find(signal: AbortSignal): Promise<Result<ClusterAccess>>;
  close(): void;
}

export interface AccessFiles {
  ca?: string;
  cert?: string;
  key?: string;
}

export interface Impersonation {
  user: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}

/** A command that prints credentials, as kubeconfigs name it under `exec`. */
export interface ExecPlugin {
  apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1';
  command: string;
  args: string[];
  env: Record<string, string>;
  installHint?: string;
  /** What the command is told about the cluster, where it wants to know. */
  cluster?: Record<string, unknown>;
}

/** The headers with which one user acts as another. */
export function impersonationHeaders(who: Impersonation | undefined): Record<string, string | string[]> {
  if (who === undefined) return {};
  const extra = Object.entries(who.extra ?? {}).map(([key, values]): [string, string[]] => [
    // A header's name can't hold every character that a key may have.
    `impersonate-extra-${encodeURIComponent(key).toLowerCase()}`,
    values,
  ]);
  return {
    'impersonate-user': who.user,
    ...defined({ 'impersonate-uid': who.uid }),
    ...(who.groups === undefined || who.groups.length === 0 ? {} : { 'impersonate-group': who.groups }),
    ...Object.fromEntries(extra),
  };
}

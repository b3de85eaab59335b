/** What CloudStack refuses, or what stands between it and us. */
import type { ErrorGroup } from './entry.ts';

const about = 'NodeClaim, node class';

export const cloudStack = {
  CloudStackCredentialsInvalid: {
    cause: 'CloudStack does not accept the API key or the signature, or the credentials cannot be read.',
    cure: 'Give the provider the API key and the secret key of a user that is enabled. A Secret that is corrected is read within a minute.',
    more: 'CloudStack gives the same answer for an API key that does not exist, a wrong secret key, and a user or account that is disabled.',
    seen: ['condition', 'event', 'check'],
    about,
  },
  CloudStackClockSkew: {
    cause:
      'The clocks of this machine and of CloudStack differ so much that CloudStack refuses the signatures as too old.',
    cure: 'Synchronize both clocks (NTP).',
    more: 'Up to an hour the provider signs by the time of CloudStack, and says so in the log and in `poolwright doctor`. Beyond that it stops, because everything else that depends on time is in doubt too.',
    seen: ['condition', 'event', 'check', 'log'],
    about,
  },
  CloudStackCommandNotAllowed: {
    cause: 'The role of the account does not allow a command; the message names it.',
    cure: 'Allow the command in the role.',
    more: 'The page about rights at CloudStack lists all commands, each with its reason, and has a role to import. `poolwright doctor` compares it with what the account may call.',
    seen: ['condition', 'event', 'check'],
    about,
  },
  CloudStackAccountNotAllowed: {
    cause: 'The account may call the command, but not on this resource or for this owner.',
    cure: 'Check the domain and project of the provider, and who owns the resource that the message names.',
    seen: ['condition', 'event'],
    about,
  },
  CloudStackSecondFactorRequired: {
    cause: 'The user of the API key has two-factor authentication, which a program cannot pass.',
    cure: 'Use a user without two-factor authentication.',
    seen: ['condition', 'event'],
    about,
  },
  CloudStackTlsNotTrusted: {
    cause: 'The certificate of CloudStack is not trusted, or is not checked.',
    cure: 'Give the PEM of its authority as `certificateAuthority`, or renew the certificate.',
    seen: ['condition', 'event', 'check'],
    about,
  },
  NotCloudStack: {
    cause: 'Something other than the API of CloudStack answers at the API URL.',
    cure: 'Correct the API URL: it ends in `/client/api`.',
    seen: ['condition', 'event', 'check'],
    about,
  },
  CloudStackUnreachable: {
    cause: 'CloudStack does not respond, or a gateway before it responds with an error.',
    cure: 'None needed: the host retries. If it persists, check the API URL, the network and the proxy.',
    seen: ['check'],
  },
  CloudStackQuota: {
    cause:
      'A resource limit of the account, domain or project, or the capacity of a zone, is used up or nearly used up.',
    cure: 'Ask an administrator for a higher limit, or delete what is not needed.',
    more: 'A limit of the account says nothing about an offering, so no offering is skipped because of it.',
    seen: ['check'],
  },
  ProjectNotFound: {
    cause: 'The account of the API key sees no project of the name that the provider is configured with.',
    cure: 'Correct `project` in the configuration, or add the account to the project.',
    seen: ['condition', 'event', 'check'],
    about,
  },
  DomainNotFound: {
    cause: 'The account of the API key sees no domain of the name that the provider is configured with.',
    cure: 'Correct `domain` in the configuration.',
    seen: ['condition', 'event', 'check'],
    about,
  },
} as const satisfies ErrorGroup;

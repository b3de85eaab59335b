/** What a command could not do for its user. */
import type { ErrorGroup } from './entry.ts';

export const command = {
  InvalidCommand: {
    cause:
      'The command line was not understood: a command, an option or an argument is unknown, missing or of the wrong form.',
    cure: 'Change it as the message says; --help lists what there is.',
    seen: ['cli'],
    cureInMessage: true,
  },
  InvalidOption: {
    cause: 'An option has a value that cannot be used, or stands beside one that it does not go with.',
    cure: 'Change it as the message says; --help lists what there is.',
    seen: ['cli'],
    cureInMessage: true,
  },
  UnknownKind: {
    cause: 'The command does not know this kind of thing.',
    cure: 'Write <kind>/<name>, with one of the kinds that the message lists.',
    seen: ['cli'],
    cureInMessage: true,
  },
  UnknownCode: {
    cause: 'The catalogue has no such code.',
    cure: '`poolwright errors` lists them all; a newer host may have newer ones.',
    seen: ['cli'],
    cureInMessage: true,
  },
  FileUnreadable: {
    cause: 'A file that an option or the configuration names cannot be read, or is empty.',
    cure: 'Check its path and who may read it.',
    seen: ['cli', 'log'],
  },
  FileExists: {
    cause: 'A file is there already that would have been written.',
    cure: 'Name another file, or remove it; `poolwright init --force` replaces what it wrote before.',
    seen: ['cli'],
    cureInMessage: true,
  },
  FileUnwritable: {
    cause: 'A file that a command was to write cannot be written there.',
    cure: 'Make its folder, or name another one that you may write to.',
    seen: ['cli'],
  },
  InvalidManifest: {
    cause: 'A file is no YAML or JSON, or holds something that is no Kubernetes object.',
    cure: 'Mend the lines that the message names.',
    seen: ['cli'],
  },
  NothingToPlan: {
    cause: 'The file holds neither a NodeClaim nor a NodePool.',
    cure: 'Name a file with one of them by -f; other objects are not planned.',
    seen: ['cli'],
  },
  NotConfirmed: {
    cause: 'Somebody was asked, or could not be asked, and did not say yes; nothing was changed.',
    cure: 'Say --yes where nobody can be asked; --dry-run shows what would happen.',
    seen: ['cli'],
    cureInMessage: true,
  },
  UnknownNode: {
    cause: 'The cluster has no Node of this name.',
    cure: 'List them with `poolwright get nodes`, or name another cluster with --context.',
    seen: ['cli'],
  },
  UnknownEvent: {
    cause:
      'Nothing that is kept has this id: no dead letter, no Event of the cluster, and none of the newest workflows.',
    cure: 'Nothing need be done: most events find their claim at rest or in good hands, and leave nothing behind; if one never came, the resync does the same work.',
    more: 'The API server keeps its Events for an hour: `poolwright events` lists them, `poolwright deadletters` what could not be used.',
    seen: ['cli'],
  },
  UnknownOffering: {
    cause: 'No provider of the host sells such an offering.',
    cure: 'List them with `poolwright get offerings`; `-o name` shows how each is called.',
    seen: ['cli'],
  },
  NotPassedOver: {
    cause: 'No refusal of a cloud is kept that fits what the options name, so there is nothing to forget.',
    cure: 'List what is passed over with `poolwright offerings unavailable`; all else may be bought already.',
    seen: ['cli'],
  },
  AmbiguousCluster: {
    cause: 'It is not clear which of the clusters that the host serves is meant.',
    cure: 'Name it with --cluster.',
    seen: ['cli'],
    cureInMessage: true,
  },
  HostUnreachable: {
    cause: 'The host does not run, or cannot be reached from here.',
    cure: 'Start it with `poolwright start`, or name it by --data-dir or by --url and --token-file.',
    seen: ['cli'],
    cureInMessage: true,
  },
  UnexpectedAnswer: {
    cause: 'Something answered that does not speak like a host of Poolwright.',
    cure: 'Check the URL: a proxy or another service may stand there.',
    seen: ['cli'],
  },
  HostNotStarted: {
    cause: 'The host or the bridge could not start.',
    cure: 'The message says what is missing.',
    seen: ['cli'],
    cureInMessage: true,
  },
} as const satisfies ErrorGroup;

/** What a command could not do for its user. */
import type { ErrorGroup } from './entry.ts';

export const command = {
  InvalidCommand: {
    cause: 'The command line is invalid: a command, an option or an argument is unknown, missing or malformed.',
    cure: 'Correct it as the message says; --help lists the commands and options.',
    seen: ['cli'],
    cureInMessage: true,
  },
  InvalidOption: {
    cause: 'An option has an invalid value, or conflicts with another option.',
    cure: 'Correct it as the message says; --help lists the commands and options.',
    seen: ['cli'],
    cureInMessage: true,
  },
  UnknownKind: {
    cause: 'The command does not support this kind.',
    cure: 'Pass <kind>/<name>, with one of the kinds that the message lists.',
    seen: ['cli'],
    cureInMessage: true,
  },
  UnknownCode: {
    cause: 'There is no error with this code.',
    cure: 'Run `poolwright errors` to list all codes. A newer host may have more.',
    seen: ['cli'],
    cureInMessage: true,
  },
  FileUnreadable: {
    cause: 'A file that an option or the configuration names is unreadable or empty.',
    cure: 'Check its path and its permissions.',
    seen: ['cli', 'log'],
  },
  FileExists: {
    cause: 'The file to write already exists.',
    cure: 'Pass another path, or remove the file; `poolwright init --force` overwrites the files of an earlier run.',
    seen: ['cli'],
    cureInMessage: true,
  },
  FileUnwritable: {
    cause: 'The command cannot write a file to this path.',
    cure: 'Create the directory, or pass one that you can write to.',
    seen: ['cli'],
  },
  InvalidManifest: {
    cause: 'The file is not valid YAML or JSON, or contains something that is not a Kubernetes object.',
    cure: 'Fix the lines that the message names.',
    seen: ['cli'],
  },
  NothingToPlan: {
    cause: 'The file contains neither a NodeClaim nor a NodePool.',
    cure: 'Pass a file with one of them with -f; plan ignores other objects.',
    seen: ['cli'],
  },
  NotConfirmed: {
    cause: 'The change was not confirmed, or there was no terminal to ask on; nothing was changed.',
    cure: 'Pass --yes where there is no terminal; --dry-run shows what would change.',
    seen: ['cli'],
    cureInMessage: true,
  },
  UnknownNode: {
    cause: 'The cluster has no Node with this name.',
    cure: 'List the nodes with `poolwright get nodes`, or pass another cluster with --context.',
    seen: ['cli'],
  },
  UnknownEvent: {
    cause: "This id was not found among the dead letters, the cluster's Events or the most recent workflows.",
    cure: 'None needed: most events need no action and leave no record. If an event was lost, the resync does the same work.',
    more: 'The API server keeps Events for an hour: `poolwright events` lists them. `poolwright deadletters` lists the messages that could not be processed.',
    seen: ['http', 'cli'],
  },
  UnknownOffering: {
    cause: "None of the host's providers has this offering.",
    cure: 'List the offerings with `poolwright get offerings`; `-o name` prints their names.',
    seen: ['cli'],
  },
  NotPassedOver: {
    cause: 'No offering that matches the options is marked as unavailable, so there is nothing to clear.',
    cure: 'List the unavailable offerings with `poolwright offerings unavailable`; the host already uses all others.',
    seen: ['cli'],
  },
  AmbiguousCluster: {
    cause: 'The host serves several clusters, and the command does not say which one to use.',
    cure: 'Pass --cluster.',
    seen: ['cli'],
    cureInMessage: true,
  },
  HostUnreachable: {
    cause: 'The host is not running, or is not reachable from here.',
    cure: 'Start it with `poolwright start`, or pass --data-dir, or --url and --token-file.',
    seen: ['cli'],
    cureInMessage: true,
  },
  UnexpectedAnswer: {
    cause: 'The response does not come from a Poolwright host.',
    cure: 'Check the URL: it may lead to a proxy or another service.',
    seen: ['cli'],
  },
  HostNotStarted: {
    cause: 'The host or the bridge could not start.',
    cure: 'Add what the message names as missing.',
    seen: ['cli'],
    cureInMessage: true,
  },
} as const satisfies ErrorGroup;

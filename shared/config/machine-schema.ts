/** What can be configured about virtual machines in a cluster with their kinds. */
import * as fields from '../base/fields.ts';
import * as z from '../base/schemas.ts';

const { anyText, duration, flag, path, prefault, withDefault, optional } = fields;

const reference = anyText.check(
  z.regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?\/[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, {
    error: 'must be namespace/name of a Provider',
  }),
);

/** Drivers that run within the host instead of in pods. */
const inProcess = fields.object({
  type: withDefault(z.enum(['mock']), 'mock'),
  stateFile: optional(path),
});

const server = fields
  .object({
    endpoint: anyText.check(z.minLength(1)),
    caFile: optional(path),
    certFile: optional(path),
    keyFile: optional(path),
    serverName: optional(anyText),
    tokenFile: optional(path),
    plaintext: withDefault(flag, false),
  })
  .check(
    z.refine(({ caFile, plaintext }) => (caFile === undefined) === plaintext, {
      path: ['caFile'],
      error: 'must be set, or plaintext must be true: then everyone on the way can read and change the calls',
    }),
  );

/** Virtual machines are carried out in this cluster. Without it they are left alone. */
export const machinesOfCluster = fields.object({
  everySeconds: prefault(duration({ least: 1 }), '30s'),
  /** The longest pause between two looks at a task. */
  pollAtMost: prefault(duration({ least: 0.1, most: 300 }), '10s'),
  /** After a refusal; doubled with each in a row. */
  retryAfter: prefault(duration({ least: 1 }), '10s'),
  /** A machine counts as gone when it was not there twice, so far apart. */
  grace: prefault(duration({ least: 1 }), '10s'),
  /** How long one call that creates may take; below the time limit of a step. */
  createAtMost: prefault(duration({ least: 1, most: 110 }), '100s'),
  /** After that, how late an effect may still appear. */
  lateness: prefault(duration({ most: 3600 }), '20s'),
  inProcess: withDefault(z.record(reference, inProcess), {}),
  servers: withDefault(z.record(reference, server), {}),
});

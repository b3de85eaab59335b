/** What can be configured about requests for whole clusters: for a cluster in which they are made, and for the whole deployment. */
import * as fields from '../base/fields.ts';
import * as z from '../base/schemas.ts';
import { drivers, noticeFormats, noticeTypes, taintEffects } from '../clusters/request/choices.ts';

const { anyText, text, path, flag, count, duration, httpUrl, optional, prefault, section, withDefault } = fields;

const names = z.array(text);
/** Of a namespace. */
const team = anyText.check(
  z.regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, { error: 'must be the name of a namespace, which is the team' }),
);
const name = anyText.check(
  z.regex(/^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/, { error: 'must be 1 to 40 lowercase letters, digits and dashes' }),
);

const carriedOut = {
  /** Whose subscription is asked before a cluster is made; the driver `arm` also makes clusters with its identity. */
  provider: optional(name),
  driftEvery: prefault(duration({ least: 10 }), '1h'),
  /** Doubled with each failure in a row, at most an hour. */
  retryAfter: prefault(duration({ least: 1 }), '10m'),
  /** The longest pause between two looks at something that is being made. */
  pollAtMost: prefault(duration({ least: 0.1, most: 300 }), '15s'),
  /** Beside the events that tell of changes. */
  everySeconds: prefault(duration({ least: 1 }), '1m'),
};

/** Requests for whole clusters are carried out in this cluster. Without it they are left alone. */
export const requestsOfCluster = fields.object({ driver: withDefault(z.enum(drivers), 'aso'), ...carriedOut });

const limits = {
  clusters: optional(count(0, 100_000)),
  nodes: optional(count(0, 100_000)),
  locations: optional(names),
  poolTypes: optional(names),
  longestLifetime: optional(duration({ least: 60 })),
};

const target = fields.object({
  url: optional(httpUrl),
  /** Where the address holds a secret. */
  urlFile: optional(path),
  format: withDefault(z.enum(noticeFormats), 'cloudevents'),
  on: withDefault(z.array(z.enum(noticeTypes)), [...noticeTypes]),
  signingKeyFiles: withDefault(z.array(path), []),
});

const poolType = fields.object({
  description: text,
  family: text,
  versions: withDefault(names, []),
  vmSizes: names,
  acceptedVmSizes: withDefault(names, []),
  limits: fields.object({ cpu: text, memory: text }),
  /** As kubectl writes them: `key=value:NoSchedule`. */
  taints: withDefault(
    z.array(
      anyText.check(
        z.regex(new RegExp(`^[^=:]+(=[^=:]+)?:(${taintEffects.join('|')})$`), {
          error: `must look like key=value:${taintEffects[0]}`,
        }),
      ),
    ),
    [],
  ),
});

/** What is the deployment's, wherever the requests are made. */
export const requestsOfDeployment = section({
  policy: section({
    onlyNamedTeams: withDefault(flag, false),
    everyTeam: section(limits),
    teams: withDefault(z.record(team, fields.object(limits)), {}),
  }),
  notifications: withDefault(z.record(name, target), {}),
  poolTypesFile: optional(path),
  poolTypes: withDefault(z.record(name, poolType), {}),
  /** Requests without a management cluster are kept in the state, and carried out by Azure Resource Manager. */
  state: optional(fields.object({ ...carriedOut, provider: name })),
});

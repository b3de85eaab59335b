/** What a platform team allows. A team is a namespace. What a policy does not name, it does not limit. */

export interface TeamPolicy {
  /** How many requests a team may have at once. */
  readonly clusters?: number | undefined;
  /** How many nodes a single cluster may have, as far as the request says: system nodes, and the most of an agent pool or a static pool. */
  readonly nodes?: number | undefined;
  readonly locations?: readonly string[] | undefined;
  readonly poolTypes?: readonly string[] | undefined;
  /** In seconds: a cluster has to end by itself, at the latest after this. */
  readonly longestLifetime?: number | undefined;
}

export interface Policy {
  /** For teams without an entry of their own, and for what theirs does not say. */
  readonly everyTeam: TeamPolicy;
  readonly teams: Readonly<Record<string, TeamPolicy>>;
  /** Only teams with an entry may request clusters. */
  readonly onlyNamedTeams: boolean;
}

export const openPolicy: Policy = { everyTeam: {}, teams: {}, onlyNamedTeams: false };

/** What holds for a team; undefined if it may not request clusters at all. */
export function policyFor({ everyTeam, teams, onlyNamedTeams }: Policy, team: string): TeamPolicy | undefined {
  const own = Object.hasOwn(teams, team) ? teams[team] : undefined;
  if (own === undefined) return onlyNamedTeams ? undefined : everyTeam;
  const { clusters, nodes, locations, poolTypes, longestLifetime } = everyTeam;
  return {
    clusters: own.clusters ?? clusters,
    nodes: own.nodes ?? nodes,
    locations: own.locations ?? locations,
    poolTypes: own.poolTypes ?? poolTypes,
    longestLifetime: own.longestLifetime ?? longestLifetime,
  };
}

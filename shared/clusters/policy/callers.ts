/** Which requests a caller of the HTTP API may see and change: a team is a namespace. */

export interface RequestCaller {
  name: string;
  team?: string | undefined;
  /** Who may do everything belongs to no team. */
  admin: boolean;
}

/** The team of a caller: what the configuration says, else the name of the token. Undefined: all of them. */
export const teamOf = ({ name, team, admin }: RequestCaller): string | undefined =>
  admin ? undefined : (team ?? name);

export const mayUse = (caller: RequestCaller, namespace: string): boolean => {
  const team = teamOf(caller);
  return team === undefined || team === namespace;
};

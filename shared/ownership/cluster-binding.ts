/**
 * Which cluster is behind which name of the configuration. A cluster says so itself, by the uid of its namespace kube-system, and whoever
 * administers it can make it say anything. So what it says at the first contact is bound to its name, together with what proves the
 * identity of its server, and is kept. Anything else is refused until an operator confirms it.
 *
 * A uid is on the tags of all instances of a cluster: whoever is believed to be a cluster may delete its instances. So no cluster is
 * believed to be one that another name is bound to, and while two servers claim the same uid, nothing with that uid is garbage collected.
 */

/** What a cluster said of itself, and what its server was checked against: authorities, or else its address. */
export type Reported = { uid: string; anchors: string[] };

/** `confirming`: an operator has confirmed it, and what contradicts it may still be there. */
export type Binding = Reported & { at: number; confirming?: true };

export type Verdict =
  /** It is who it says. `keep`: the binding is new, or the authorities were renewed. */
  | { is: 'known'; keep?: Reported; disputedWith?: string }
  /** One cluster under two names: only the name that was bound first is served. */
  | { is: 'twice'; sameAs: string }
  /** The name was bound to another uid. `disputedWith`: the name that the claimed uid is bound to. */
  | { is: 'changed-uid'; bound: Binding; disputedWith?: string }
  /** The same uid, from a server that nothing connects with the one at the first contact. */
  | { is: 'changed-server'; bound: Binding }
  /** The uid is bound to another name, whose server is another one. */
  | { is: 'claims-other'; disputedWith: string };

/** As the API server makes them. It becomes part of filters at clouds, where some characters stand for others. */
export const isUid = (uid: string): boolean => /^[0-9A-Za-z-]{1,64}$/.test(uid);

/** Authorities are renewed with some overlap; an address that is all there is must stay. */
export const sameServer = (one: Reported, other: Reported): boolean =>
  one.anchors.some((anchor) => other.anchors.includes(anchor));

/**
 * @param bindings Also of names that are no longer in the configuration: their instances may still be there.
 * @param names All names of the configuration, in its order.
 */
export function judgeCluster(
  name: string,
  reported: Reported,
  bindings: ReadonlyMap<string, Binding>,
  names: readonly string[],
): Verdict {
  const own = bindings.get(name);
  const others = [...bindings].filter(([other, { uid }]) => other !== name && uid === reported.uid);
  if (own && own.uid !== reported.uid) {
    const [other] = others;
    return { is: 'changed-uid', bound: own, ...(other === undefined ? {} : { disputedWith: other[0] }) };
  }
  if (own && !sameServer(own, reported)) return { is: 'changed-server', bound: own };
  // Who was bound first keeps the uid; of two that were bound in the same moment, the one that stands first in the configuration. What an
  // operator has confirmed comes before both, and the last word of the operator first.
  const isBefore = ([other, { at, confirming }]: [string, Binding]): boolean => {
    if (own === undefined) return true;
    if (confirming !== own.confirming) return confirming === true;
    if (at === own.at) return names.indexOf(other) < names.indexOf(name);
    return confirming ? at > own.at : at < own.at;
  };
  const stranger = others.find(([, bound]) => !sameServer(bound, reported));
  if (stranger && isBefore(stranger)) return { is: 'claims-other', disputedWith: stranger[0] };
  const twin = others.find((one) => names.includes(one[0]) && sameServer(one[1], reported) && isBefore(one));
  if (twin) return { is: 'twice', sameAs: twin[0] };
  const isRenewed = own !== undefined && own.anchors.join() !== reported.anchors.join();
  return {
    is: 'known',
    ...(own === undefined || isRenewed ? { keep: reported } : {}),
    ...(stranger === undefined ? {} : { disputedWith: stranger[0] }),
  };
}

/**
 * Why nothing of a cluster may be garbage collected, although a process believes that it has this uid. `rebound`: an operator has confirmed
 * something else since. `confirming`: a confirmation was interrupted. `never-seen`: each of these could be the one that the instances belong to.
 */
export type Hindrance =
  | { is: 'rebound' }
  | { is: 'confirming'; name: string }
  | { is: 'disputed' }
  | { is: 'never-seen'; names: string[] };

/**
 * @param refused Names that have answered and are not served, each with the uid that it claims to share with a cluster that is served. Behind
 * one authority nobody can tell which of the two the instances belong to: after the state was lost, the impostor may have come first.
 * @param isDisputed Somebody has claimed the uid lately.
 */
export function hindranceOf(
  name: string,
  uid: string,
  bindings: ReadonlyMap<string, Binding>,
  names: readonly string[],
  refused: ReadonlyMap<string, string | undefined>,
  isDisputed: boolean,
): Hindrance | undefined {
  if (bindings.get(name)?.uid !== uid) return { is: 'rebound' };
  const confirmed = [...bindings].find(([, bound]) => bound.uid === uid && bound.confirming);
  if (confirmed) return { is: 'confirming', name: confirmed[0] };
  const isBoundTwice = [...bindings].some(([other, bound]) => other !== name && bound.uid === uid);
  const isClaimed = names.some((other) => other !== name && refused.get(other) === uid);
  if (isDisputed || isBoundTwice || isClaimed) return { is: 'disputed' };
  const unseen = names.filter((other) => !bindings.has(other) && !refused.has(other));
  return unseen.length === 0 ? undefined : { is: 'never-seen', names: unseen };
}

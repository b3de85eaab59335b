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

export type Binding = Reported & { at: number };

export type Verdict =
  /** It is who it says. `keep`: the binding is new, or the authorities were renewed. */
  | { is: 'known'; keep?: Reported; disputedWith?: string }
  /** One cluster under two names: only the name that stands first in the configuration is served. */
  | { is: 'twice'; sameAs: string }
  /** The name was bound to another uid. `disputedWith`: the name that the claimed uid is bound to. */
  | { is: 'changed-uid'; bound: Binding; disputedWith?: string }
  /** The same uid, from a server that nothing connects with the one at the first contact. */
  | { is: 'changed-server'; bound: Binding }
  /** The uid is bound to another name, whose server is another one. */
  | { is: 'claims-other'; disputedWith: string };

/** Authorities are renewed with some overlap; an address that is all there is must stay. */
const sameServer = (one: Reported, other: Reported): boolean =>
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
  const others = [...bindings.keys()].filter((other) => other !== name && bindings.get(other)?.uid === reported.uid);
  const isSame = (other: string): boolean => sameServer(bindings.get(other) ?? reported, reported);
  const stranger = others.find((other) => !isSame(other));
  if (own && own.uid !== reported.uid) {
    const [other] = others;
    return { is: 'changed-uid', bound: own, ...(other === undefined ? {} : { disputedWith: other }) };
  }
  if (own && !sameServer(own, reported)) return { is: 'changed-server', bound: own };
  if (!own && stranger !== undefined) return { is: 'claims-other', disputedWith: stranger };
  const before = names.slice(0, names.indexOf(name));
  const first = before.find((other) => others.includes(other) && isSame(other));
  if (first !== undefined) return { is: 'twice', sameAs: first };
  const isRenewed = own !== undefined && own.anchors.join() !== reported.anchors.join();
  return {
    is: 'known',
    ...(own === undefined || isRenewed ? { keep: reported } : {}),
    ...(stranger === undefined ? {} : { disputedWith: stranger }),
  };
}

/**
 * Why nothing of a cluster may be garbage collected, although a process believes that it has this uid. `rebound`: an operator has confirmed
 * something else since. `never-seen`: each of these could be the one that the instances belong to.
 */
export type Hindrance = { is: 'rebound' } | { is: 'disputed' } | { is: 'never-seen'; names: string[] };

export function hindranceOf(
  name: string,
  uid: string,
  bindings: ReadonlyMap<string, Binding>,
  names: readonly string[],
  isDisputed: boolean,
): Hindrance | undefined {
  if (bindings.get(name)?.uid !== uid) return { is: 'rebound' };
  if (isDisputed) return { is: 'disputed' };
  const unseen = names.filter((other) => !bindings.has(other));
  return unseen.length === 0 ? undefined : { is: 'never-seen', names: unseen };
}

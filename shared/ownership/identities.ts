/**
 * Asks each cluster who it is, and holds the answer against what is bound to its name (`cluster-binding.ts`). Bindings are kept in the state,
 * so that a restart, or another function, does not believe what this process would refuse.
 */
import { defined } from '../base/defined.ts';
import { failed, ok, type Result } from '../base/result.ts';
import type { Clock } from '../base/runtime.ts';
import { type ClusterApi, type KubeObject, namespaces, type Resource } from '../kube/contract.ts';
import type { Log } from '../observe/log/log.ts';
import type { State } from '../state/contract.ts';
import {
  type Binding,
  hindranceOf,
  isUid,
  judgeCluster,
  type Reported,
  sameServer,
  type Verdict,
} from './cluster-binding.ts';
import { hindranceText, refusalText } from './identity-texts.ts';

export interface ClusterIdentities {
  /** A good answer serves for some minutes, and longer while the cluster does not answer. While it is refused, it is asked again soon. */
  identityOf(api: ClusterApi): () => Promise<Result<string>>;
  /** Why nothing of this cluster may be garbage collected now: `invalid` if its uid is disputed; ok if it may. */
  collectable(api: ClusterApi): (uid: string) => Promise<Result<void>>;
  /** An operator says: what this cluster reports now is right, whatever was bound to its name or has the same uid. */
  confirm(api: ClusterApi): () => Promise<Result<string>>;
  /** Why this must not be asked of the cluster of this name, or undefined. Who it is may always be asked. */
  refusalOf(
    name: string,
    asked?: { resource: Resource; name?: string | undefined },
  ): ReturnType<typeof refusal> | undefined;
}

export interface IdentityParts {
  /** In the order of the configuration. */
  names: readonly string[];
  state: State;
  clock: Clock;
  log: Log;
}

const prefix = 'identity/';
const bindingKey = (name: string): string => `${prefix}${name}`;
const disputeKey = (uid: string): string => `disputed-uid/${uid}`;
/** A dispute is noted anew whenever one of its clusters is asked; one whose clusters are gone ends by itself. */
const disputeSeconds = 86_400;
const refusedPrefix = 'identity-refused/';
/** `twice`: the uid that it has in common with a cluster that is served. */
type Refusal = true | { twice: string };
const askAgainMs = 30_000;
/** Another process may have confirmed something else, and authorities are renewed. */
const believedMs = 300_000;
const systemNamespace = 'kube-system';

const refusal = (message: string) => ({ kind: 'invalid' as const, message });

export function createIdentities({ names, state, clock, log }: IdentityParts): ClusterIdentities {
  const refused = new Map<string, ReturnType<typeof refusal>>();
  /** What each name was found to be, whether it is served or refused. */
  const known = new Map<string, string>();

  const readBindings = async () => {
    const bindings = new Map<string, Binding>();
    const versions = new Map<string, string>();
    let after: string | undefined;
    do {
      const page = await state.list<Binding>(prefix, after === undefined ? {} : { after });
      for (const { key, value, version } of page.items) {
        bindings.set(key.slice(prefix.length), value);
        versions.set(key.slice(prefix.length), version);
      }
      after = page.next;
    } while (after !== undefined);
    return { bindings, versions };
  };

  /** Binds what is new. Judged again afterwards: another process may have bound the same in the same moment. */
  const settle = async (name: string, reported: Reported): Promise<{ verdict: Verdict; version?: string }> => {
    for (;;) {
      const { bindings, versions } = await readBindings();
      const verdict = judgeCluster(name, reported, bindings, names);
      const version = versions.get(name);
      const own = bindings.get(name);
      if (verdict.is === 'known' && own?.confirming && version !== undefined) {
        await completeConfirmation(name, own, version, bindings);
        continue;
      }
      if (verdict.is !== 'known' || !verdict.keep) return { verdict, ...defined({ version }) };
      const binding: Binding = { ...verdict.keep, at: bindings.get(name)?.at ?? clock.now() };
      const put = await state.put(bindingKey(name), binding, { ifVersion: versions.get(name) ?? null });
      if (put !== undefined) await forgetRenamed(name, binding, bindings);
    }
  };

  /**
   * Removes what contradicts a confirmed binding, and its mark last: whoever finds the mark, after a process has died here, goes on. Until
   * then nothing with this uid is collected.
   */
  const completeConfirmation = async (
    name: string,
    { confirming, ...binding }: Binding,
    version: string,
    bindings: ReadonlyMap<string, Binding>,
  ): Promise<void> => {
    for (const [other, { uid }] of bindings) {
      if (other === name || uid !== binding.uid) continue;
      await state.delete(bindingKey(other));
      known.delete(other);
    }
    await state.delete(disputeKey(binding.uid));
    await state.put(bindingKey(name), binding, { ifVersion: version });
  };

  /** The cluster had another name before, which is no longer in the configuration: its authorities would be outdated one day. */
  const forgetRenamed = async (name: string, own: Binding, bindings: ReadonlyMap<string, Binding>): Promise<void> => {
    for (const [other, bound] of bindings) {
      const isRenamed = other !== name && !names.includes(other) && bound.uid === own.uid && sameServer(bound, own);
      if (isRenamed) await state.delete(bindingKey(other));
    }
  };

  const say = (name: string, uid: string, verdict: Verdict): void => {
    const text = refusalText(name, uid, verdict);
    if (text === undefined) refused.delete(name);
    if (text === undefined || refused.get(name)?.message === text) return;
    refused.set(name, refusal(text));
    if (verdict.is === 'twice') log.write('cluster.twice', { cluster: name, sameAs: verdict.sameAs, problem: text });
    else log.write('cluster.disputed', { cluster: name, uid, problem: text });
  };

  const noteDispute = async (name: string, uid: string, verdict: Verdict): Promise<void> => {
    if (!('disputedWith' in verdict) || verdict.disputedWith === undefined) return;
    await state.put(disputeKey(uid), { names: [verdict.disputedWith, name] }, { ttlSeconds: disputeSeconds });
  };

  /** It has answered, so nobody has to wait for it; and one that was bound in the same moment as another one is not bound. */
  const noteRefusal = async (
    name: string,
    uid: string,
    verdict: Verdict,
    version: string | undefined,
  ): Promise<void> => {
    if (verdict.is === 'known') return void (await state.delete(`${refusedPrefix}${name}`));
    const refusal: Refusal = verdict.is === 'twice' ? { twice: uid } : true;
    await state.put(`${refusedPrefix}${name}`, refusal, { ttlSeconds: disputeSeconds });
    if (version === undefined || (verdict.is !== 'twice' && verdict.is !== 'claims-other')) return;
    // Only the binding that was judged: an operator may have confirmed another one since.
    await state.delete(bindingKey(name), { ifVersion: version });
  };

  const learn = async (name: string, reported: Reported): Promise<void> => {
    const { verdict, version } = await settle(name, reported);
    await noteDispute(name, reported.uid, verdict);
    await noteRefusal(name, reported.uid, verdict, version);
    say(name, reported.uid, verdict);
  };

  const report = async (api: ClusterApi): Promise<Result<Reported>> => {
    const answer = await api.get<KubeObject>(namespaces, { name: systemNamespace });
    if (!answer.ok) return answer;
    const { uid } = answer.value.metadata;
    if (!isUid(uid)) return failed('invalid', `cluster ${api.name} reports a kube-system uid that is not a uid`);
    return ok({ uid, anchors: [...(api.anchors?.() ?? [api.name])] });
  };

  return {
    refusalOf: (name, asked) =>
      asked?.resource === namespaces && asked.name === systemNamespace ? undefined : refused.get(name),

    identityOf: (api) => {
      let askedAt = Number.NEGATIVE_INFINITY;
      let asking: Promise<Result<string>> | undefined;
      const current = (): Result<string> => {
        const error = refused.get(api.name);
        return error === undefined ? ok(known.get(api.name) ?? '') : { ok: false, error };
      };
      const ask = async (): Promise<Result<string>> => {
        const reported = await report(api);
        // Who was known and does not answer is still who it was.
        if (!reported.ok) return known.has(api.name) && reported.error.kind !== 'invalid' ? current() : reported;
        try {
          await learn(api.name, reported.value);
        } catch (error) {
          return failed(
            'unavailable',
            `the host could not check the identity of cluster ${api.name}: ${String(error)}`,
          );
        }
        known.set(api.name, reported.value.uid);
        askedAt = clock.monotonic();
        return current();
      };
      return async () => {
        const isSettled = clock.monotonic() - askedAt < (refused.has(api.name) ? askAgainMs : believedMs);
        if (known.has(api.name) && isSettled) return current();
        asking ??= ask().finally(() => {
          asking = undefined;
        });
        return asking;
      };
    },

    collectable: (api) => async (uid) => {
      const { bindings } = await readBindings();
      const isDisputed = (await state.get(disputeKey(uid))) !== undefined;
      const answered = new Map<string, string | undefined>();
      for (const name of names) {
        const refusal = bindings.has(name) ? undefined : await state.get<Refusal>(`${refusedPrefix}${name}`);
        if (refusal) answered.set(name, refusal.value === true ? undefined : refusal.value.twice);
      }
      const hindrance = hindranceOf(api.name, uid, bindings, names, answered, isDisputed);
      if (!hindrance) return ok(undefined);
      return failed(hindrance.is === 'never-seen' ? 'not-ready' : 'invalid', hindranceText(uid, hindrance));
    },

    confirm: (api) => async () => {
      const reported = await report(api);
      if (!reported.ok) return reported;
      const { uid } = reported.value;
      const binding: Binding = { ...reported.value, at: clock.now(), confirming: true };
      // All that an operator says is in this one write; the rest only follows from it.
      const version = await state.put(bindingKey(api.name), binding);
      const { bindings } = await readBindings();
      if (version !== undefined) await completeConfirmation(api.name, binding, version, bindings);
      refused.delete(api.name);
      known.set(api.name, uid);
      log.write('cluster.confirmed', { cluster: api.name, uid });
      return ok(uid);
    },
  };
}

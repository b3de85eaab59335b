/**
 * Tells everyone who wants to know that a cluster is ready, has failed, and so on. The workflow repeats what may pass; a target that has it
 * is remembered, so that the others' repeats do not reach it again. State may be lost and a process may die after sending: then it is sent
 * twice, with the same id, and receivers can tell.
 */
import { failed, ok, type Result } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import type { ClusterApi } from '../../kube/contract.ts';
import type { Log } from '../../observe/log/log.ts';
import type { State } from '../../state/contract.ts';
import type { Notifier, RequestNotice } from '../services.ts';
import { emitNoticeEvent } from './kubernetes-event.ts';
import { cloudEvent, slackMessage } from './message.ts';
import { signature, signatureHeader } from './sign.ts';
import type { NotifyTarget, Post } from './target.ts';

export interface NotifierParts {
  deployment: string;
  targets: readonly NotifyTarget[];
  /** For Kubernetes Events; absent where there is no management cluster. */
  api?: ClusterApi | undefined;
  post: Post;
  state: State;
  clock: Clock;
  log: Log;
}

/** Longer than any workflow repeats. */
const rememberedSeconds = 7 * 86_400;
/** A receiver that refuses for good is not asked again; these may pass. */
const passing = new Set([408, 425, 429]);

export function createNotifier(parts: NotifierParts): Notifier {
  const { targets, api, state, log, deployment } = parts;

  const toTarget = async (target: NotifyTarget, notice: RequestNotice, signal?: AbortSignal): Promise<Result<void>> => {
    const key = `cluster-requests/notified/${notice.id}/${target.name}`;
    if ((await state.get(key)) !== undefined) return ok(undefined);
    const url = target.url();
    if (url === undefined) return failed('unavailable', `the address of ${target.name} cannot be read`);
    const body = target.format === 'slack' ? slackMessage(notice, deployment) : cloudEvent(notice, deployment);
    const seconds = Math.floor(parts.clock.now() / 1000);
    const signed = signature(body, target.signingKeys(), seconds);
    const headers = {
      'content-type': target.format === 'slack' ? 'application/json' : 'application/cloudevents+json; charset=utf-8',
      'idempotency-key': notice.id,
      ...(signed === undefined ? {} : { [signatureHeader]: signed }),
    };
    const posted = await parts.post(url, { headers, body }, signal);
    if (posted !== undefined && posted.status >= 200 && posted.status < 300) {
      await state.put(key, true, { ttlSeconds: rememberedSeconds });
      return ok(undefined);
    }
    if (posted !== undefined && posted.status >= 300 && posted.status < 500 && !passing.has(posted.status)) {
      log.write('cluster-request.notification.refused', { target: target.name, status: posted.status, id: notice.id });
      await state.put(key, false, { ttlSeconds: rememberedSeconds });
      return ok(undefined);
    }
    const why = posted === undefined ? 'does not answer' : `answers with status ${posted.status}`;
    const pause = posted?.retryAfterSeconds;
    return failed('unavailable', `${target.name} ${why}`, pause === undefined ? {} : { retryAfterSeconds: pause });
  };

  return {
    notify: async (notice, signal) => {
      const wanted = targets.filter(({ on }) => on.includes(notice.type));
      const results = await Promise.all([
        ...wanted.map((target) => toTarget(target, notice, signal)),
        ...(api === undefined ? [] : [emitNoticeEvent(api, notice, signal)]),
      ]);
      const failures = results.flatMap((result) => (result.ok ? [] : [result.error]));
      if (failures.length === 0) return ok(undefined);
      const pauses = failures.flatMap(({ retryAfterSeconds }) => retryAfterSeconds ?? []);
      const message = failures.map((failure) => failure.message).join('; ');
      return failed('unavailable', message, pauses.length === 0 ? {} : { retryAfterSeconds: Math.max(...pauses) });
    },
  };
}

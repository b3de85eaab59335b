/** Whom this deployment tells about clusters, as the configuration has it, and how. */
import { readFileSync } from 'node:fs';
import { defined } from '../../../../shared/base/defined.ts';
import type { Environment } from '../../../../shared/base/environment.ts';
import { failed, ok, type Result } from '../../../../shared/base/result.ts';
import type { Clock } from '../../../../shared/base/runtime.ts';
import { rememberSecret } from '../../../../shared/base/secrets/known-secrets.ts';
import type { NotifyTarget, Post } from '../../../../shared/clusters/notify/target.ts';
import type { Config } from '../../../../shared/config/load.ts';
import { createHttpClient, retryAfterSeconds } from '../../../../shared/net/http-client.ts';
import { proxyFromEnvironment } from '../../../../shared/net/http-proxy.ts';
import type { Log } from '../../../../shared/observe/log/log.ts';
import { secretFileProblem, secretList } from '../../../../shared/observe/log/secret-list.ts';

const timeoutMs = 10_000;
const longestAnswer = 65_536;

/** Fails when a file cannot be used: better now than when the first cluster is ready. */
export function notifyTargets({ notifications }: Config['clusterRequests'], log: Log): Result<readonly NotifyTarget[]> {
  const problems: string[] = [];
  const targets = Object.entries(notifications).map(
    ([name, { url, urlFile, format, on, signingKeyFiles }]): NotifyTarget => {
      const at = `clusterRequests.notifications.${name}`;
      for (const file of signingKeyFiles) {
        const problem = secretFileProblem(file);
        if (problem !== undefined) problems.push(`${at}.signingKeyFiles: ${problem}`);
      }
      const address = () => url ?? (urlFile === undefined ? undefined : readAddress(urlFile));
      if (address() === undefined) problems.push(`${at}.urlFile: ${urlFile} must contain an http:// or https:// URL`);
      rememberSecret(url);
      const signingKeys = secretList({ values: [], files: signingKeyFiles, log });
      return { name, url: address, format, signingKeys, on: [...on] };
    },
  );
  return problems.length > 0 ? failed('invalid', problems.join('\n')) : ok(targets);
}

/** Each time, so that the address can be rotated. */
function readAddress(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim();
    rememberSecret(text);
    return URL.canParse(text) && /^https?:\/\//.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** A connection of its own for each: notices are rare, and a function may stand still for an hour between two. */
export const postBy =
  (env: Environment, clock: Clock): Post =>
  async (address, { headers, body }, signal) => {
    const url = new URL(address);
    const proxy = proxyFromEnvironment(url, env);
    const client = createHttpClient({
      baseUrl: url.origin,
      userAgent: 'poolwright',
      maxResponseBytes: longestAnswer,
      ...defined({ proxy }),
    });
    try {
      const answer = await client.request({
        method: 'POST',
        path: url.pathname + url.search,
        headers: { ...headers },
        body,
        timeoutMs,
        ...defined({ signal }),
      });
      if (!answer.ok) return undefined;
      return { status: answer.status, ...defined({ retryAfterSeconds: retryAfterSeconds(answer.headers, clock) }) };
    } finally {
      client.close();
    }
  };
